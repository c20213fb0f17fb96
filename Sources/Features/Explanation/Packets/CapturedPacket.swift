import LinkModel
import LinuxKernel

/// One packet's way over the link: entry and exit, or why it did not get there.
struct CapturedPacket: Sendable {
    /// The beginning of a payload that is kept: a whole segment, if it is not a super-packet.
    static let keptPayload = 1500

    /// Its number in the capture file, from 1, as wireshark shows it.
    var number: Int
    /// Its number on the link in its direction; those that arrive together are in this order.
    var linkNumber: UInt64?
    /// Which way it went; nil if the capture does not say.
    var direction: Direction?
    /// When it entered the link.
    var sent: Duration
    /// What the link did to it.
    var fate: PacketFate
    /// Its addresses and ports.
    var source: SocketName
    var destination: SocketName
    var transport: Transport
    /// How many bytes the transport carries.
    var payloadLength: Int
    /// The first of these.
    var payload: [UInt8]

    /// When it left the link; nil if it was dropped.
    var delivered: Duration? { fate.drop == nil ? sent + fate.delay : nil }

    /// The protocol behind the IP header.
    enum Transport: Sendable {
        case tcp(TCPHeader)
        case udp
    }
}

/// An address with a port.
struct SocketName: Hashable, Sendable, CustomStringConvertible {
    var address: IPAddress
    var port: UInt16

    var description: String {
        address.isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}
