import CLinux
import Glibc

/// Sends small empty frames, which show others that this process is still running.
public struct BeaconSender: ~Copyable, Sendable {
    private let socket: OwnedDescriptor
    private let frame: [UInt8]

    /// Opens a packet socket in the calling thread's network namespace. Requires `CAP_NET_RAW`.
    ///
    /// - Parameter protocol: the EtherType of the frames.
    public init(protocol number: UInt16) throws(KernelError) {
        socket = try OwnedDescriptor(lc_beacon_socket(), creating: "a packet socket")
        let address: [UInt8] = [2, 0x6c, 0x63, 0, 0, 2]
        frame =
            address + address + [UInt8(number >> 8), UInt8(number & 0xff)]
            + [UInt8](repeating: 0, count: 46)
    }

    /// Sends a frame on the interface with this index. Does not report failures.
    public func send(by interface: Int32) {
        _ = unsafe lc_beacon_send(socket.number, interface, frame, frame.count)
    }

    /// The index of the interface with this name in the calling thread's network namespace.
    public static func index(of name: String) -> Int32? {
        let index = unsafe if_nametoindex(name)
        return index == 0 ? nil : Int32(bitPattern: index)
    }
}
