import CLinux
public import SystemPackage

/// Passes open descriptors to another process over a Unix socket. Equivalent to `SCM_RIGHTS`.
public enum DescriptorPassing {
    /// Sends copies of `descriptors`, at most 32.
    public static func send(
        _ descriptors: [FileDescriptor], over socket: FileDescriptor
    ) throws(Errno) {
        let numbers = descriptors.map(\.rawValue)
        try checked(unsafe lc_send_descriptors(socket.rawValue, numbers, Int32(numbers.count)))
    }

    /// Waits for the descriptors of one `send`, which the caller must close. Returns none if the
    /// other end was closed.
    public static func receive(from socket: FileDescriptor) throws(Errno) -> [FileDescriptor] {
        var numbers = [Int32](repeating: -1, count: 32)
        let count = try checked(
            unsafe lc_receive_descriptors(socket.rawValue, &numbers, Int32(numbers.count)))
        return numbers.prefix(Int(count)).map { FileDescriptor(rawValue: $0) }
    }
}
