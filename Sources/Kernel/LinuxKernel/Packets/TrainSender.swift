import CLinux
import Glibc
public import SystemPackage

/// Sends UDP datagrams with any source address in trains: several as one super-packet, which the
/// kernel cuts up late or never.
///
/// Creating it requires `CAP_NET_RAW` in the network namespace of the calling thread; using it
/// requires nothing. Kernels before 6.2 do not take such super-packets.
public struct TrainSender: ~Copyable, Sendable {
    private let owned: OwnedDescriptor

    /// The descriptor, for passing it to another process.
    public var descriptor: FileDescriptor { owned.raw }

    /// Makes a sender to the Ethernet of the interface with this index.
    public init(interface: Int32) throws(Errno) {
        owned = try OwnedDescriptor(status: lc_packet_sender(interface, 0, 0))
    }

    /// Takes ownership of a sender that another process created.
    public init(adopting owned: consuming OwnedDescriptor) {
        self.owned = owned
    }

    /// Sends datagrams that have one sender, one receiver, and one length, but for the last, which may
    /// be shorter. All are sent or none.
    ///
    /// - Parameters:
    ///   - payload: their contents one after the other, at most 65,000 bytes.
    ///   - size: the length of each.
    ///   - identification: the ID of the first IPv4 packet; the others have the ones that follow.
    ///   - ethernet: the link-layer addresses of receiver and sender.
    /// - Throws: `Errno.invalidArgument` if the kernel does not take super-packets of UDP.
    public borrowing func send(
        _ payload: [UInt8], inDatagramsOf size: UInt16, from source: Endpoint,
        to destination: Endpoint, identification: UInt16, ethernet: (to: [UInt8], from: [UInt8])
    ) throws(Errno) {
        let isIPv6 = source.address.isIPv6
        let transportStart = Self.ethernetLength + (isIPv6 ? 40 : 20)
        let packet = IPPacket.train(
            from: source, to: destination, identification: identification, payload: payload)
        let frame =
            Self.virtualHeader(transportStart: UInt16(transportStart), datagramSize: size)
            + ethernet.to + ethernet.from + (isIPv6 ? [0x86, 0xdd] : [0x08, 0x00]) + packet
        let descriptor = owned.number
        let count = unsafe frame.withUnsafeBytes { frame in
            unsafe Glibc.send(descriptor, frame.baseAddress, frame.count, Int32(MSG_DONTWAIT))
        }
        guard count >= 0 else { throw Errno(rawValue: errno) }
    }

    private static let ethernetLength = 14

    /// A `virtio_net_hdr`, in host byte order (packet(7), `PACKET_VNET_HDR`).
    private static func virtualHeader(transportStart: UInt16, datagramSize: UInt16) -> [UInt8] {
        let (checksumIsPartial, udpSegmentation): (UInt8, UInt8) = (1, 5)
        let words = [transportStart + 8, datagramSize, transportStart, checksumOffset]
        return [checksumIsPartial, udpSegmentation]
            + words.flatMap { word in unsafe withUnsafeBytes(of: word) { unsafe Array($0) } }
    }

    private static let checksumOffset: UInt16 = 6
}
