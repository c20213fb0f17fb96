import CLinux
import Glibc
public import SystemPackage

/// Echo requests to one host, over one interface.
///
/// For those whom `net.ipv4.ping_group_range` allows it. Never waits.
public struct EchoSocket: ~Copyable {
    private let owned: OwnedDescriptor
    private let isIPv6: Bool

    /// The descriptor, to wait on.
    public var descriptor: FileDescriptor { owned.raw }

    /// Makes a socket of the calling thread's network namespace.
    public init(to host: IPAddress, over interface: Int32) throws(Errno) {
        isIPv6 = host.isIPv6
        owned = try OwnedDescriptor(
            status: lc_connect_echo_over(
                UInt32(bitPattern: interface), Endpoint(host, port: 0).shim))
    }

    /// Asks for an echo, which has the same number.
    public borrowing func ask(_ number: UInt16) throws(Errno) {
        let type: UInt8 = isIPv6 ? 128 : 8
        // Checksum and identifier are the kernel's.
        let message: [UInt8] = [type, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 0xff)]
        let count = unsafe send(owned.number, message, message.count, 0)
        guard count >= 0 else { throw Errno(rawValue: errno) }
    }

    /// The number of an echo that has come; nil if there is none.
    public borrowing func next() -> UInt16? {
        var message = [UInt8](repeating: 0, count: 64)
        let count = unsafe recv(owned.number, &message, message.count, 0)
        return count >= 8 ? UInt16(message[6]) << 8 | UInt16(message[7]) : nil
    }
}
