import LinkModel
import Foundation
import LinkTesting
import LinkUnits
import PacketEngine
import PacketLoop
import Testing

@testable import Evidence

@Suite("Packet log")
struct PacketLogTests {
    private static func text(_ format: PacketLog.Format) -> String {
        PacketLog.header(format)
            + SamplePackets.all.map { record, frame in
                PacketLog.line(
                    PacketEnd(record: record, isReordered: record.number.map { $0 == 2 }),
                    frame: frame.span,
                    format)
            }.joined()
    }

    @Test func `as CSV`() throws {
        let text = Self.text(.csv)
        try Golden("log.csv").expect(text)
        let widths = text.split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).count
        }
        #expect(Set(widths).count == 1)
    }

    @Test func `as JSON, an object a line`() throws {
        let text = Self.text(.jsonLines)
        try Golden("log.jsonl").expect(text)
        let names = Set(PacketLog.header(.csv).dropLast().split(separator: ",").map(String.init))
        for line in text.split(separator: "\n") {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let fields = try #require(object as? [String: Any])
            #expect(Set(fields.keys) == names)
        }
    }

    @Test func `the name of the file decides the format`() {
        #expect(PacketLog.Format(path: "a/b.csv") == .csv)
        #expect(PacketLog.Format(path: "B.CSV") == .csv)
        for path in ["a.json", "a.jsonl", "csv", "/dev/stderr", "a.csv/b"] {
            #expect(PacketLog.Format(path: path) == .jsonLines)
        }
    }

    @Test func `frames that end early are told as far as they go`() {
        for (_, frame) in SamplePackets.all {
            for length in 0...frame.count {
                let line = PacketLog.line(
                    PacketEnd(record: SamplePackets.record(.up, .delivered)),
                    frame: frame.span.extracting(first: length), .csv)
                #expect(line.split(separator: ",", omittingEmptySubsequences: false).count == 13)
            }
        }
    }
}
