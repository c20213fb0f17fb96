import CLinux
import Glibc
public import SystemPackage

/// A pipe through which bytes get from one TCP socket to another without being copied.
///
/// The kernel passes on the memory that holds them. Equivalent to `splice(2)` twice. A thread that
/// uses it must outlive broken pipes (`KernelThread.outliveBrokenPipes`).
public struct StreamConduit: ~Copyable, Sendable {
    private let exit: OwnedDescriptor
    private let entrance: OwnedDescriptor

    /// Makes one that takes up to `capacity` bytes, or fewer if the kernel does not allow that.
    public init(capacity: Int) throws(Errno) {
        var ends: [Int32] = [-1, -1]
        try checked(unsafe lc_conduit(&ends, Int32(clamping: capacity)))
        exit = OwnedDescriptor(adopting: FileDescriptor(rawValue: ends[0]))
        entrance = OwnedDescriptor(adopting: FileDescriptor(rawValue: ends[1]))
    }

    /// Takes at most `limit` bytes from a socket and returns how many; 0 at the end of the stream.
    /// Stops in front of an urgent byte.
    public borrowing func take(
        from socket: borrowing StreamSocket, limit: Int
    ) throws(Errno) -> Int {
        try Self.move(socket.descriptor, entrance.raw, limit)
    }

    /// Gives at most `limit` of its bytes to a socket and returns how many.
    public borrowing func give(
        to socket: borrowing StreamSocket, limit: Int
    ) throws(Errno) -> Int {
        try Self.move(exit.raw, socket.descriptor, limit)
    }

    /// Takes out `count` bytes, which must be in it.
    public borrowing func remove(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let result = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe read(exit.number, bytes.baseAddress?.advanced(by: filled), count - filled)
            }
            guard result > 0 else { break }
            filled += result
        }
        return bytes
    }

    private static func move(
        _ source: FileDescriptor, _ target: FileDescriptor, _ limit: Int
    ) throws(Errno) -> Int {
        let count = lc_splice(source.rawValue, target.rawValue, limit)
        guard count >= 0 else { throw Errno(rawValue: errno) }
        return count
    }
}
