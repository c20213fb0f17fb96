import CLinux
import SystemPackage

/// A lock that processes of one network namespace take, whatever files and users each of them has:
/// it is on the namespace itself.
///
/// It does not outlive its owner. Anybody may take it, so that nobody should wait for it for ever.
public struct NetworkNamespaceLock: ~Copyable {
    private let descriptor: FileDescriptor

    private static let pause = Duration.milliseconds(10)

    /// Waits for the lock of the calling thread's namespace.
    ///
    /// - Throws: `Errno.resourceTemporarilyUnavailable` when `patience` is over.
    public init(patience: Duration) throws(KernelError) {
        let descriptor = try NetworkNamespace.openCurrent()
        let end = ContinuousClock.now + patience
        var status = lc_lock_file(descriptor.rawValue, 0)
        while status == -Errno.wouldBlock.rawValue, ContinuousClock.now < end {
            _ = Readiness.wait(for: [], timeout: Self.pause)
            status = lc_lock_file(descriptor.rawValue, 0)
        }
        guard status == 0 else {
            try? descriptor.close()
            throw KernelError(
                .lock, subject: "the network namespace", errno: Errno(rawValue: -status))
        }
        self.descriptor = descriptor
    }

    deinit {
        try? descriptor.close()
    }
}
