import LinuxKernel
import Override
import SystemPackage

/// Lets the command and its processes override what they see of their interface, for which they lack
/// the privilege unless they are root.
///
/// Few do, and a thread delays the start of the command: it is started when somebody asks.
final class OverrideStarter {
    private let service: OverrideService
    private let namespace: FileDescriptor
    private var hasStarted = false

    /// Moves the calling thread to the network namespace of a device, whose processes may ask from now
    /// on; nil if they cannot.
    init?(in namespace: FileDescriptor) throws(KernelError) {
        try NetworkNamespace.enter(namespace)
        guard let service = OverrideService() else { return nil }
        self.service = service
        self.namespace = namespace
    }

    /// What is readable when somebody asks for the first time; nil: somebody has.
    var wakeUp: FileDescriptor? { hasStarted ? nil : service.descriptor }

    /// Starts the thread if somebody asks.
    func turn() {
        guard !hasStarted, !Readiness.wait(for: [service.descriptor], timeout: .zero).isEmpty
        else { return }
        start()
    }

    /// Starts the thread now. Where it cannot be made, who asks waits in vain.
    func start() {
        hasStarted = true
        _ = try? KernelThread(named: "overrides") { [service, namespace] in
            guard (try? NetworkNamespace.enter(namespace)) != nil else { return }
            service.run()
        }
    }
}
