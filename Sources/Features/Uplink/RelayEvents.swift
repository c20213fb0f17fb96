package import LinuxKernel
package import SystemPackage

/// The targets of the relay's events.
enum RelayTarget {
    case orders
    case requests
    case accept(RelaySockets.Family)
    case acceptMultipath(MultipathPorts.Port)
    case datagrams(RelaySockets.Family)
    case stream(StreamRelay.Connection)
    case outlet(DatagramOutlet)
}

typealias RelayEvents = TargetedEvents<RelayTarget>

/// Events of file descriptors, and their targets.
package final class TargetedEvents<Target> {
    private let queue: EventQueue
    private var targets: [UInt64: Target] = [:]
    private var lastToken: UInt64 = 0

    /// Makes one that watches nothing.
    package init() throws(Errno) {
        queue = try EventQueue()
    }

    /// Watches a file descriptor until it is closed and the returned token is forgotten.
    ///
    /// Tokens are never reused, so a late event of a closed file descriptor has no target.
    package func watch(
        _ descriptor: FileDescriptor, _ trigger: EventQueue.Trigger, for target: Target
    ) throws(Errno) -> UInt64 {
        lastToken += 1
        try queue.watch(descriptor, token: lastToken, trigger)
        targets[lastToken] = target
        return lastToken
    }

    package func forget(_ token: UInt64) {
        targets[token] = nil
    }

    /// Watches a file descriptor no more whose file other processes keep open.
    package func forget(_ token: UInt64, _ descriptor: FileDescriptor) {
        queue.unwatch(descriptor)
        forget(token)
    }

    package func target(of token: UInt64) -> Target? { targets[token] }

    package func wait(timeout: Duration?) throws(Errno) -> [EventQueue.Event] {
        try queue.wait(timeout: timeout)
    }
}
