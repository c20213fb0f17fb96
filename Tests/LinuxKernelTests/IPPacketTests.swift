import LinkTesting
import Testing

@testable import LinuxKernel

@Suite("IP packets made by hand", .tags(.unit))
struct IPPacketTests {
    private let source = IPAddress("192.0.2.1")
    private let target = IPAddress("192.0.2.2")

    private func sum(_ bytes: some Collection<UInt8>) -> UInt16 {
        var checksum = PacketChecksum()
        checksum.add(Array(bytes)[...])
        return checksum.value
    }

    /// A packet with `options` in its header, which is no fragment unless `field` says so.
    private func packet(_ count: Int, options: [UInt8] = [], field: UInt16 = 0) throws -> [UInt8] {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 8) }
        var packet = IPPacket.packet(
            IPProtocol.udp, from: try #require(source), to: try #require(target), payload: payload)
        packet[0] += UInt8(options.count / 4)
        packet.insert(contentsOf: options, at: 20)
        packet.set(UInt16(packet.count), at: 2)
        packet.set(0xabcd, at: 4)
        packet.set(field, at: 6)
        return packet
    }

    @Test func `parts have all of the packet, each its place and a checksum of its own`() throws {
        let packet = try packet(3000)
        let parts = IPPacket.fragments(of: packet, mtu: 1280)
        #expect(parts.map(\.count) == [1276, 1276, 508])
        #expect(parts.flatMap { $0[20...] } == Array(packet[20...]))
        #expect(parts.map { $0.number(at: 6) } == [0x2000, 0x2000 + 157, 314])
        for part in parts {
            #expect(sum(part[..<20]) == 0)
            #expect(part.number(at: 2) == UInt16(part.count) && part.number(at: 4) == 0xabcd)
        }
    }

    @Test func `a fragment is cut again where it stands in its packet`() throws {
        let packet = try packet(1480, field: 0x2000 | 185)
        let parts = IPPacket.fragments(of: packet, mtu: 1280)
        #expect(parts.map { $0.number(at: 6) } == [0x2000 | 185, 0x2000 | 342])
        let last = IPPacket.fragments(of: try self.packet(1480, field: 370), mtu: 1280)
        #expect(last.map { $0.number(at: 6) } == [0x2000 | 370, 527])
    }

    @Test(arguments: [("192.0.2.1", "192.0.2.2"), ("2001:db8::1", "2001:db8::2")])
    func `a train is one datagram whose checksum waits for its bytes`(
        source: String, target: String
    ) throws {
        let from = Endpoint(try #require(IPAddress(source)), port: 53)
        let to = Endpoint(try #require(IPAddress(target)), port: 0xfeed)
        let payload = (0..<1801).map { UInt8(truncatingIfNeeded: $0 * 7) }
        var train = IPPacket.train(
            from: from, to: to, identification: 0xabcd, payload: payload)
        let header = from.address.isIPv6 ? 40 : 20
        if header == 20 {
            #expect(train.number(at: 4) == 0xabcd && sum(train[..<20]) == 0)
            train.replaceSubrange(4..<6, with: [0, 0])
            train.replaceSubrange(10..<12, with: [0, 0])
            train.set(sum(train[..<20]), at: 10)
        }
        train.set(sum(train[header...]), at: header + 6)
        #expect(train == IPPacket.datagram(from: from, to: to, payload: payload))
    }

    @Test func `only options that are to be copied are in all parts`() throws {
        // Record route is not, router alert is (IANA, IP option numbers).
        let options: [UInt8] = [7, 3, 4, 0x94, 4, 0, 0, 0]
        let parts = IPPacket.fragments(of: try packet(200, options: options), mtu: 128)
        #expect(parts.count == 3)
        #expect(Array(parts[0][20..<28]) == options)
        for part in parts.dropFirst() {
            #expect(Array(part[20..<28]) == [1, 1, 1, 0x94, 4, 0, 0, 0])
            #expect(sum(part[..<28]) == 0)
        }
    }

    @Test func `the least MTU carries the longest header`() throws {
        let parts = IPPacket.fragments(
            of: try packet(64, options: [UInt8](repeating: 1, count: 40)), mtu: 68)
        #expect(parts.map(\.count) == Array(repeating: 68, count: 8))
    }

    @Test func `what fits is left as it is`() throws {
        let packet = try packet(1260)
        #expect(IPPacket.fragments(of: packet, mtu: 1280) == [packet])
    }

    @Test func `an error quotes as much as a host has to take`() throws {
        let packet = try packet(1400)
        let error = IPPacket.error(
            type: 3, code: 4, parameter: 1280, quoting: packet, from: try #require(target),
            to: try #require(source))
        #expect(error.count == 576 && error.number(at: 2) == 576)
        #expect(Array(error[20..<28]) == [3, 4, error[22], error[23], 0, 0, 5, 0])
        #expect(sum(error[..<20]) == 0 && sum(error[20...]) == 0)
        #expect(Array(error[28...]) == Array(packet.prefix(548)))
    }
}
