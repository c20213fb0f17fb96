import Glibc
public import SystemPackage

/// One end of a connection between two processes that carries messages, and descriptors with
/// `DescriptorPassing`.
public struct MessageChannel: Sendable {
    /// The descriptor, for waiting.
    public let descriptor: FileDescriptor

    /// Makes both ends.
    public static func pair() throws(KernelError) -> (MessageChannel, MessageChannel) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw KernelError(
                .create, subject: "a pair of sockets", errno: Errno(rawValue: Glibc.errno))
        }
        return (
            MessageChannel(adopting: FileDescriptor(rawValue: ends[0])),
            MessageChannel(adopting: FileDescriptor(rawValue: ends[1]))
        )
    }

    /// Takes ownership of an end that another process passed on.
    public init(adopting descriptor: FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Sends a message of at least one byte; false if the other end is closed.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        var sent: Int
        repeat {
            sent = unsafe Glibc.send(
                descriptor.rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        } while sent < 0 && Glibc.errno == EINTR
        return sent == bytes.count
    }

    /// Waits for the next message; nil if the other end is closed.
    public func receive() -> [UInt8]? {
        // Most messages are short: zeros would first have to be written to all the memory.
        let buffer = unsafe [UInt8](unsafeUninitializedCapacity: Self.longestMessage) {
            buffer, count in
            var received: Int
            repeat {
                received = unsafe recv(
                    descriptor.rawValue, buffer.baseAddress, buffer.count, 0)
            } while received < 0 && Glibc.errno == EINTR
            count = max(0, received)
        }
        return buffer.isEmpty ? nil : Array(buffer[...])
    }

    private static let longestMessage = 128 * 1024

    /// Ends sending; messages from the other end still arrive.
    public func finishSending() {
        _ = shutdown(descriptor.rawValue, Int32(SHUT_WR))
    }

    /// Closes this end.
    public func close() {
        try? descriptor.close()
    }
}
