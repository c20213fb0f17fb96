import CLinux
import Glibc
import SystemPackage

/// The only owner of a descriptor, which is closed when it goes.
struct OwnedDescriptor: ~Copyable, Sendable {
    let number: Int32

    /// Takes what a call of `CLinux` returned: a descriptor, or a negated reason.
    init(_ result: Int32, creating subject: String) throws(KernelError) {
        guard result >= 0 else {
            throw KernelError(.create, subject: subject, errno: Errno(rawValue: -result))
        }
        number = result
    }

    deinit { close(number) }
}
