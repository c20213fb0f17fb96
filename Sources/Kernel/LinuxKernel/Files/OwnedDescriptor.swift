import Glibc
public import SystemPackage

/// The only owner of a file descriptor, which closes it at the end of its life.
public struct OwnedDescriptor: ~Copyable, Sendable {
    /// The descriptor, which must not outlive its owner.
    public let raw: FileDescriptor

    /// Takes ownership of `raw`.
    public init(adopting raw: FileDescriptor) {
        self.raw = raw
    }

    /// Takes ownership of a C function's result: a descriptor, or a negative error number.
    init(status: Int32) throws(Errno) {
        guard status >= 0 else { throw Errno(rawValue: -status) }
        raw = FileDescriptor(rawValue: status)
    }

    /// Takes ownership of the result of a C function that creates `subject`.
    init(_ status: Int32, creating subject: String) throws(KernelError) {
        raw = FileDescriptor(rawValue: try checked(status, .create, subject))
    }

    /// Takes charge of what a shim that opens `subject` returned.
    init(_ status: Int32, opening subject: String) throws(KernelError) {
        raw = FileDescriptor(rawValue: try checked(status, .open, subject))
    }

    /// The descriptor as a number.
    var number: Int32 { raw.rawValue }

    deinit {
        try? raw.close()
    }
}

extension FileDescriptor {
    /// Another descriptor of the same file, which programs that this process becomes do not get.
    public func copy() throws(Errno) -> FileDescriptor {
        let copy = fcntl(rawValue, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw Errno(rawValue: errno) }
        return FileDescriptor(rawValue: copy)
    }
}

/// Checks a C function's result: a value of zero or above, or a negative error number.
@discardableResult
func checked(_ status: Int32) throws(Errno) -> Int32 {
    guard status >= 0 else { throw Errno(rawValue: -status) }
    return status
}

/// The same, of a shim that was to do something to `subject`.
@discardableResult
func checked(
    _ status: Int32, _ operation: KernelError.Operation, _ subject: String
) throws(KernelError) -> Int32 {
    guard status >= 0 else {
        throw KernelError(operation, subject: subject, errno: Errno(rawValue: -status))
    }
    return status
}
