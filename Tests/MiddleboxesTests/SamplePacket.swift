import LinuxKernel
import Testing

@testable import Middleboxes

/// IP packets for the middle of a link.
enum SamplePacket {
    static let app = IPAddress(ipv4: 0xc612_0002)
    static let server = IPAddress(ipv4: 0xcb00_7107)
    static let otherServer = IPAddress(ipv4: 0xc633_6409)

    static func udp(
        from source: Endpoint, to target: Endpoint, _ payload: [UInt8] = [1, 2, 3]
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 8) + payload
        bytes.set(source.port, at: 0)
        bytes.set(target.port, at: 2)
        bytes.set(UInt16(bytes.count), at: 4)
        return finished(bytes, IPProtocol.udp, checksumAt: 6, source, target)
    }

    static func tcp(
        from source: Endpoint, to target: Endpoint, flags: UInt8 = TCPFlag.syn,
        sequence: UInt16 = 7,
        acknowledged: UInt16 = 9, options: [UInt8] = [], _ payload: [UInt8] = []
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 20) + options
        bytes[12] = UInt8(bytes.count / 4) << 4
        bytes[13] = flags
        bytes.set(source.port, at: 0)
        bytes.set(target.port, at: 2)
        bytes.set(sequence, at: 6)
        bytes.set(acknowledged, at: 10)
        return finished(bytes + payload, IPProtocol.tcp, checksumAt: 16, source, target)
    }

    static func echo(
        from source: IPAddress, to target: IPAddress, identifier: UInt16, isReply: Bool = false
    ) -> [UInt8] {
        var message: [UInt8] = [isReply ? 0 : 8, 0, 0, 0, 0, 0, 0, 1, 42]
        message.set(identifier, at: 4)
        return IPPacket.icmp(message, from: source, to: target)
    }

    private static func finished(
        _ transport: [UInt8], _ number: UInt8, checksumAt place: Int, _ source: Endpoint,
        _ target: Endpoint
    ) -> [UInt8] {
        var bytes = transport
        let checksum = PacketChecksum.ofTransport(
            bytes[...], number, from: source.address, to: target.address)
        // Zero would mean that there is none.
        bytes.set(checksum == 0 ? 0xffff : checksum, at: place)
        return IPPacket.packet(number, from: source.address, to: target.address, payload: bytes)
    }

    /// Whether all checksums of a packet are right.
    static func isSound(_ packet: [UInt8]) -> Bool {
        guard let fields = PacketFields(packet.span), let start = fields.transportOffset else {
            return false
        }
        var header = PacketChecksum()
        header.add(packet[..<20])
        let sum = PacketChecksum.ofTransport(
            packet[start...], fields.transport, from: fields.source.address,
            to: fields.target.address)
        return (fields.source.address.isIPv6 || header.value == 0) && sum == 0
    }
}

extension [UInt8] {
    var fields: PacketFields {
        get throws {
            let fields = PacketFields(span)
            return try #require(fields)
        }
    }
}

extension Endpoint {
    static func app(_ port: UInt16) -> Endpoint { Endpoint(SamplePacket.app, port: port) }
    static func server(_ port: UInt16) -> Endpoint { Endpoint(SamplePacket.server, port: port) }
}
