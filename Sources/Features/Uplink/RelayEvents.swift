import LinuxKernel
import SystemPackage

/// What the relay waits for, and who is told.
final class RelayEvents {
    /// Who is told.
    enum Target {
        case orders
        case requests
        case accept(RelaySockets.ProcessTree)
        case acceptMultipath(MultipathPorts.Port)
        case datagrams(RelaySockets.ProcessTree)
        case stream(StreamRelay.Connection)
        case outlet(DatagramOutlet)
    }

    private let queue: EventQueue
    private var targets: [UInt64: Target] = [:]
    private var lastToken: UInt64 = 0

    init() throws(Errno) {
        queue = try EventQueue()
    }

    /// Watches a descriptor until the token that is returned is forgotten and it is closed.
    ///
    /// Tokens never come back, so that a late event of a closed descriptor finds nobody.
    func watch(
        _ descriptor: FileDescriptor, _ trigger: EventQueue.Trigger, for target: Target
    ) throws(Errno) -> UInt64 {
        lastToken += 1
        try queue.watch(descriptor, token: lastToken, trigger)
        targets[lastToken] = target
        return lastToken
    }

    func forget(_ token: UInt64) {
        targets[token] = nil
    }

    func target(of token: UInt64) -> Target? { targets[token] }

    func wait(timeout: Duration?) throws(Errno) -> [EventQueue.Event] {
        try queue.wait(timeout: timeout)
    }
}
