import Foundation
import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import PacketLoop
import Testing

@testable import Recording

@Suite("Packet log", .tags(.unit))
struct PacketLogTests {
    private static func text(
        _ format: PacketLog.Format, _ packets: [(PacketRecord, [UInt8])] = SamplePackets.all,
        interfaces: [String] = []
    ) throws -> String {
        var buffer = try ByteBuffer(capacity: 65_536)
        let log = PacketLog(format, interfaces: interfaces)
        log.appendHeader(to: &buffer)
        for (record, frame) in packets {
            let end = PacketEnd(record: record, isReordered: record.number.map { $0 == 2 })
            log.append(end, frame: frame.span, to: &buffer)
        }
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test func `as CSV`() throws {
        let text = try Self.text(.csv)
        try Golden("log.csv").expect(text)
        let widths = text.split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).count
        }
        #expect(Set(widths).count == 1)
    }

    @Test func `as JSON, an object a line`() throws {
        let text = try Self.text(.jsonLines)
        try Golden("log.jsonl").expect(text)
        let header = try Self.text(.csv, []).dropLast()
        let names = Set(header.split(separator: ",").map(String.init))
        for line in text.split(separator: "\n") {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let fields = try #require(object as? [String: Any])
            #expect(Set(fields.keys) == names)
        }
    }

    @Test func `of several interfaces says which one it was`() throws {
        var record = SamplePackets.record(.up, .delivered)
        record.link = 1
        let text = try Self.text(
            .csv, [(record, SamplePackets.tcp)], interfaces: ["wifi0", "cell0"])
        #expect(
            text.split(separator: "\n").map { $0.split(separator: ",").last } == [
                "interface", "cell0",
            ])
    }

    @Test func `the name of the file decides the format`() {
        #expect(PacketLog.Format(path: "a/b.csv") == .csv)
        #expect(PacketLog.Format(path: "B.CSV") == .csv)
        for path in ["a.json", "a.jsonl", "csv", "/dev/stderr", "a.csv/b"] {
            #expect(PacketLog.Format(path: path) == .jsonLines)
        }
    }

    @Test func `frames that end early are told as far as they go`() throws {
        for (_, frame) in SamplePackets.all {
            let packets = (0...frame.count).map { length in
                (SamplePackets.record(.up, .delivered), Array(frame.prefix(length)))
            }
            for line in try Self.text(.csv, packets).split(separator: "\n") {
                #expect(line.split(separator: ",", omittingEmptySubsequences: false).count == 14)
            }
        }
    }

    @Test func `decimals in a buffer`() throws {
        for (number, decimals) in [(0, 0), (7, 0), (0, 3), (7, 3), (1234, 3), (.max, 9), (10, 1)]
            as [(UInt64, Int)]
        {
            var buffer = try ByteBuffer(capacity: 100)
            buffer.append(decimal: number, decimals: decimals)
            let text = decimals == 0 ? "\(number)" : DecimalText.text(number, decimals: decimals)
            #expect(String(decoding: buffer.bytes, as: UTF8.self) == text)
        }
    }
}
