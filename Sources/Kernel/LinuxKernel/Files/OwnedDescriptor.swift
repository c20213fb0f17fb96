public import SystemPackage

/// The only owner of a descriptor, which is closed when the owner goes.
public struct OwnedDescriptor: ~Copyable, Sendable {
    /// The descriptor, which must not outlive its owner.
    public let raw: FileDescriptor

    /// Takes charge of `raw`.
    public init(adopting raw: FileDescriptor) {
        self.raw = raw
    }

    /// Takes charge of what a shim returned: a descriptor, or an error number below zero.
    init(status: Int32) throws(Errno) {
        guard status >= 0 else { throw Errno(rawValue: -status) }
        raw = FileDescriptor(rawValue: status)
    }

    /// Takes charge of what a shim that makes `subject` returned.
    init(_ status: Int32, creating subject: String) throws(KernelError) {
        do {
            try self.init(status: status)
        } catch {
            throw KernelError(.create, subject: subject, errno: error)
        }
    }

    /// The descriptor as the kernel knows it.
    var number: Int32 { raw.rawValue }

    deinit {
        try? raw.close()
    }
}

/// What a shim returned: a value of zero or above, or an error number below zero.
@discardableResult
func checked(_ status: Int32) throws(Errno) -> Int32 {
    guard status >= 0 else { throw Errno(rawValue: -status) }
    return status
}
