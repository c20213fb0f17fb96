import LinuxKernel
import Netlink
import Synchronization
import SystemPackage

/// An interface on its way into the app's network namespace or out of it.
///
/// The kernel waits meanwhile until nobody looks at the interface any more, which takes it 15 ms
/// and more. So it is done by a thread of its own, beside which everything else goes on.
final class InterfaceMove: Sendable {
    /// Where to send what.
    struct Step: Sendable {
        let namespace: FileDescriptor
        let messages: [NetlinkMessage]
    }

    private let outcome = Mutex<Result<Void, SandboxError>?>(nil)
    private let thread = Mutex<KernelThread?>(nil)

    /// Begins to move the interface called `name`.
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

    /// Whether it is where it was to go, or will not get there.
    var isOver: Bool { outcome.withLock { $0 != nil } }

    /// Waits until it is.
    func finish() throws(SandboxError) {
        thread.withLock { $0.take() }?.join()
        try outcome.withLock { $0 }?.get()
    }
}
