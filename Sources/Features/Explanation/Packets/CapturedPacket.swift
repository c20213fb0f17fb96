package import LinkModel
package import LinuxKernel

/// One packet's way over the link: entry and exit, or why it did not get there.
package struct CapturedPacket: Sendable {
    /// The beginning of a payload that is kept: a whole segment, if it is not a super-packet.
    package static let keptPayload = 1500
    /// Not even BIG TCP hands over more at once (the kernel's GSO_MAX_SIZE).
    package static let longestPacket = 8 * 65_535

    /// Its number in the capture file, from 1, as wireshark shows it.
    package var number: Int
    /// Its number on the link in its direction; those that arrive together are in this order.
    package var linkNumber: UInt64?
    /// Which way it went; nil if the capture does not say.
    package var direction: Direction?
    /// When it entered the link.
    package var sent: Duration
    /// What the link did to it.
    package var fate: PacketFate
    /// Its addresses and ports.
    package var source: SocketName
    package var destination: SocketName
    package var transport: Transport
    /// How many bytes the transport carries.
    package var payloadLength: Int
    /// The first of these.
    package var payload: [UInt8]

    /// When it left the link; nil if it was dropped.
    package var delivered: Duration? { fate.drop == nil ? sent + fate.passage : nil }

    /// The protocol behind the IP header.
    package enum Transport: Sendable {
        case tcp(TCPHeader)
        case udp
    }
}

extension CapturedPacket {
    /// Whether a packet stays on its host, where it is seen once, as one that came in.
    static func staysOnHost(_ source: SocketName, _ destination: SocketName) -> Bool {
        source.address == destination.address || source.address.isLoopback
    }

    /// Whether it accepts a connection that its receiver opens.
    var isAnswerToSYN: Bool {
        if case .tcp(let header) = transport { header.isSYN && header.isACK } else { false }
    }
}

/// An address with a port.
package struct SocketName: Hashable, Sendable, CustomStringConvertible {
    package var address: IPAddress
    package var port: UInt16

    package var description: String {
        address.isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}
