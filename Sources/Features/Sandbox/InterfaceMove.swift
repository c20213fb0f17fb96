import LinuxKernel
import Netlink
import Synchronization
import SystemPackage

/// An interface moving into the app's network namespace or out of it.
///
/// The kernel waits until nothing uses the interface any more, which takes 15 ms or longer. So a
/// separate thread does it while everything else continues.
final class InterfaceMove: Sendable {
    /// The messages to send in one namespace.
    struct Step: Sendable {
        let namespace: FileDescriptor
        let messages: [NetlinkMessage]
    }

    private let outcome = Mutex<Result<Void, SandboxError>?>(nil)
    private let thread = Mutex<KernelThread?>(nil)

    /// Starts moving the interface `name`.
    init(_ name: String, _ steps: [Step]) throws(SandboxError) {
        do {
            let started = try KernelThread(named: "move \(name)") { [self] in
                let result = Result { for step in steps { try Self.take(step) } }
                    .mapError { SandboxError("\(name): cannot be moved: \($0)") }
                outcome.withLock { $0 = result }
            }
            thread.withLock { $0 = started }
        } catch {
            throw SandboxError("\(name): cannot be moved: \(error)")
        }
    }

    private static func take(_ step: Step) throws {
        try NetworkNamespace.enter(step.namespace)
        try NetlinkSession().executeAll(step.messages)
    }

    /// Whether the move has succeeded or failed.
    var isOver: Bool { outcome.withLock { $0 != nil } }

    /// Waits for the end of the move.
    func finish() throws(SandboxError) {
        thread.withLock { $0.take() }?.join()
        try outcome.withLock { $0 }?.get()
    }
}
