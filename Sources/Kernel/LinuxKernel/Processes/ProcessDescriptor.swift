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

    /// The process at the other end of a connection over a `ServiceSocket`; nil where the kernel
    /// does not tell.
    ///
    /// Equivalent to `SO_PEERPIDFD`, since Linux 6.5.
    init?(at other: MessageChannel) {
        let status = lc_service_peer_descriptor(other.descriptor.rawValue)
        guard status >= 0 else { return nil }
        owned = OwnedDescriptor(adopting: FileDescriptor(rawValue: status))
    }

    /// Kills the process, and no other that has got its number; false if that cannot be done.
    func kill() -> Bool { lc_kill_process(owned.number) == 0 }

    /// What to wait on: it has something to read once the process has ended.
    public var descriptor: FileDescriptor { owned.raw }

    /// Whether the process has ended.
    public var hasEnded: Bool { !Readiness.wait(for: [owned.raw], timeout: .zero).isEmpty }
}
