import CLinux
import Glibc
public import SystemPackage

/// Sends echo requests to one host over one interface.
///
/// Requires permission by `net.ipv4.ping_group_range`. Never blocks.
public struct EchoSocket: ~Copyable {
    private let owned: OwnedDescriptor
    private let isIPv6: Bool

    /// The descriptor, for waiting.
    public var descriptor: FileDescriptor { owned.raw }

    /// Makes a socket in the calling thread's network namespace.
    public init(to host: IPAddress, over interface: Int32) throws(Errno) {
        isIPv6 = host.isIPv6
        owned = try OwnedDescriptor(
            status: lc_connect_echo_over(
                UInt32(bitPattern: interface), Endpoint(host, port: 0).shim))
    }

    /// Sends an echo request; its reply has the same number.
    public borrowing func ask(_ number: UInt16) throws(Errno) {
        let type: UInt8 = isIPv6 ? 128 : 8
        // The kernel fills in checksum and identifier.
        let message: [UInt8] = [type, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 0xff)]
        let count = unsafe send(owned.number, message, message.count, 0)
        guard count >= 0 else { throw Errno(rawValue: errno) }
    }

    /// The number of a received reply; nil if there is none.
    public borrowing func next() -> UInt16? {
        var message = [UInt8](repeating: 0, count: 64)
        let count = unsafe recv(owned.number, &message, message.count, 0)
        return count >= 8 ? UInt16(message[6]) << 8 | UInt16(message[7]) : nil
    }
}
