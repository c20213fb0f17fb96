import Foundation
import LinkTesting
import Recording
import SystemPackage
import Testing

@testable import Matrix

@Suite("Log of a cell", .tags(.unit))
struct CellLogTests {
    /// The bytes of a log into which `write` has written, and what it says of them.
    private static func log(
        _ write: (inout CellLog) -> Void
    ) async throws -> (bytes: Data, file: LogFile?) {
        try await withTemporaryDirectory { directory in
            let path = "\(directory.path)/log"
            var log = CellLog(try OutputFile(creating: path), path: "logs/x.log")
            write(&log)
            let file = log.finish()
            return (try Data(contentsOf: URL(filePath: path)), file)
        }
    }

    @Test func `what is printed is kept byte for byte`() async throws {
        let printed = Array(0...255 as ClosedRange<UInt8>) + Array(repeating: 0, count: 1000)
        let (bytes, file) = try await Self.log { log in
            for byte in printed { log.append([byte]) }
        }
        #expect(Array(bytes) == printed)
        #expect(file == LogFile(path: "logs/x.log", printedBytes: 1256, omittedBytes: 0))
    }

    @Test func `of too much the beginning and the end are kept, and how much is missing`()
        async throws
    {
        let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 60_000)
        let (bytes, file) = try await Self.log { log in
            log.append(Array("beginning".utf8)[...])
            for _ in 0..<500 { log.append(chunk[...]) }
            log.append(Array("end".utf8)[...])
        }
        let printed = UInt64(9 + 500 * 60_000 + 3)
        let omitted = printed - 2 * UInt64(CellLog.keptBytes)
        #expect(file?.printedBytes == printed && file?.omittedBytes == omitted)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("beginningxxx") && text.hasSuffix("xxxend"))
        #expect(text.contains("\n[linkcond left out \(omitted) bytes here]\n"))
        #expect(bytes.count < 2 * CellLog.keptBytes + 100)
    }

    @Test func `exactly as much as is kept is kept whole`() async throws {
        let chunk = [UInt8](repeating: 1, count: 2 * CellLog.keptBytes)
        let (bytes, file) = try await Self.log { $0.append(chunk[...]) }
        #expect(Array(bytes) == chunk)
        #expect(file?.omittedBytes == 0)
        let (longer, longerFile) = try await Self.log { $0.append((chunk + [2])[...]) }
        #expect(longerFile?.omittedBytes == 1)
        #expect(longer.last == 2)
    }

    @Test func `a file that takes no more is no reason to stop`() throws {
        var log = CellLog(try OutputFile(creating: "/dev/full"), path: "x")
        log.append(Array("some\nlines\n".utf8)[...])
        #expect(log.failure == .noSpace)
        let file = log.finish()
        #expect(file?.printedBytes == 11 && file?.omittedBytes == 11)
    }

    @Test func `without a file the last lines are still there`() {
        var log = CellLog(nil, path: "")
        for number in 0..<100_000 { log.append(Array("line \(number)\n".utf8)[...]) }
        #expect(log.lastLines(2) == "line 99998\nline 99999\n")
        #expect(log.finish() == nil)
    }

    @Test func `lines that were written to the file already can still be shown`() async throws {
        _ = try await Self.log { log in
            log.append(Array("one\ntwo\nthree".utf8)[...])
            #expect(log.lastLines(2) == "two\nthree")
        }
    }
}
