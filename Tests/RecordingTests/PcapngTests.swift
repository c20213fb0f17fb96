import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import PacketLoop
import Testing

@testable import Recording

@Suite("Pcapng", .tags(.unit))
struct PcapngTests {
    private static let host = Host(hardware: "pdp11", system: "Unix 7", application: "linkcond")

    @Test func `the blocks are as ever`() throws {
        var buffer = try ByteBuffer(capacity: 65_536)
        let capture = Pcapng(origin: .seconds(1_700_000_000) + .nanoseconds(123_456_789))
        Pcapng.appendSection(Self.host, comment: "a run", to: &buffer)
        Pcapng.appendInterface(named: "up", description: "10 Mbit/s", to: &buffer)
        Pcapng.appendInterface(named: "down", description: "", to: &buffer)
        for (record, frame) in SamplePackets.all {
            let comment = PacketEnd(record: record).comment(management: .codel)
            capture.appendPacket(record, frame: frame.span, comment: comment, to: &buffer)
        }
        capture.appendStatistics(
            of: .up, at: .seconds(80), packets: 4, missing: 0, to: &buffer)
        capture.appendStatistics(
            of: .down, at: .seconds(80), packets: 9, missing: 5, to: &buffer)
        try Golden("capture.hex").expect(Self.text(buffer.bytes))
    }

    @Test(arguments: [0, 1, 2, 3, 1999, 2000, 2001, 80_000])
    func `a text of any length leaves the blocks whole`(length: Int) throws {
        var buffer = try ByteBuffer(capacity: 65_536)
        let text =
            String(repeating: "x", count: length / 2)
            + String(repeating: "ä", count: length / 2)
        Pcapng.appendSection(Self.host, comment: text, to: &buffer)
        #expect(Self.blocks(buffer.bytes).count == 1)
    }

    /// The blocks of a file; fewer where a length is wrong.
    private static func blocks(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var rest = bytes[...]
        var blocks: [ArraySlice<UInt8>] = []
        while rest.count >= 12 {
            let length = rest.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            let end = rest.prefix(length).suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            guard length == end, length % 4 == 0, length <= rest.count else { return blocks }
            blocks.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return rest.isEmpty ? blocks : []
    }

    /// Bytes as lines of hexadecimal words, and the characters among them.
    private static func text(_ bytes: [UInt8]) -> String {
        blocks(bytes).map { block in
            stride(from: block.startIndex, to: block.endIndex, by: 16).map { start in
                let line = block[start..<min(start + 16, block.endIndex)]
                let digits = line.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                let characters = line.map {
                    (32..<127).contains($0) ? String(UnicodeScalar($0)) : "."
                }
                return digits.joined(separator: " ") + "  " + characters.joined() + "\n"
            }.joined()
        }.joined(separator: "\n")
    }
}
