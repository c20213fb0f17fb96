import CLinux
public import SystemPackage

extension MessageChannel {
    /// A message received over a `ServiceSocket`.
    public final class Message: Sendable {
        /// Its content.
        public let bytes: [UInt8]
        /// The process that sent it, as the kernel reports; zero if it is invisible to this
        /// process.
        public let sender: Int32
        /// The open files passed with it, which are closed when the message is released.
        public let files: [FileDescriptor]

        init(_ bytes: [UInt8], sender: Int32, files: [FileDescriptor]) {
            self.bytes = bytes
            self.sender = sender
            self.files = files
        }

        deinit {
            for file in files { try? file.close() }
        }
    }

    /// Sends a message of at least one byte with copies of open files, four at most. Throws
    /// `Errno.brokenPipe` if the other end is closed.
    public func send(_ bytes: [UInt8], with files: [FileDescriptor]) throws(Errno) {
        let numbers = files.map(\.rawValue)
        let sent = unsafe lc_service_send(
            descriptor.rawValue, bytes, bytes.count, numbers, Int32(numbers.count))
        guard sent >= 0 else { throw Errno(rawValue: Int32(-sent)) }
    }

    /// The next message; nil if the other end is closed.
    ///
    /// - Throws: `Errno.messageTooLong` for a message longer than `limit`, and `Errno.wouldBlock`
    ///   if none arrives within the timeout of the connection.
    public func receive(atMost limit: Int) throws(Errno) -> Message? {
        var buffer = [UInt8](repeating: 0, count: limit)
        var sender: pid_t = 0
        var numbers = [Int32](repeating: -1, count: Int(LC_MESSAGE_DESCRIPTORS))
        var count: Int32 = 0
        let received = unsafe lc_service_receive(
            descriptor.rawValue, &buffer, buffer.count, &sender, &numbers, &count)
        guard received >= 0 else { throw Errno(rawValue: Int32(-received)) }
        let message = Message(
            Array(buffer.prefix(received)), sender: sender,
            files: numbers.prefix(Int(count)).map { FileDescriptor(rawValue: $0) })
        return received == 0 ? nil : message
    }
}
