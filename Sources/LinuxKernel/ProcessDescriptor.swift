import CLinux
public import SystemPackage

/// A process of whatever parent, as something to wait for: its number may be given to another
/// process once it has ended, the descriptor never is.
public final class ProcessDescriptor: Sendable {
    private let owned: OwnedDescriptor

    /// Finds the process with this ID. `Errno.noSuchProcess` says that there is none.
    ///
    /// Equivalent to `pidfd_open(2)`, since Linux 5.3.
    public init(_ process: Int32) throws(KernelError) {
        do {
            owned = try OwnedDescriptor(status: lc_open_process(process))
        } catch {
            throw KernelError(.open, subject: "process \(process)", errno: error)
        }
    }

    /// What to wait on: it has something to read once the process has ended.
    public var descriptor: FileDescriptor { owned.raw }

    /// Whether the process has ended.
    public var hasEnded: Bool { !Readiness.wait(for: [owned.raw], timeout: .zero).isEmpty }
}
