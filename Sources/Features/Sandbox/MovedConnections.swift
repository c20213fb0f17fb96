import LinuxKernel
import Netlink

/// What became of the command's connections on an interface that delivers nothing any more, if
/// Multipath TCP has other interfaces for them.
struct MovedConnections {
    /// The paths of connections that have ended. The kernel closes the paths once the peer has
    /// acknowledged everything, wherever it arrived, and then asks in vain for the end of the path
    /// on the dead interface.
    private let ended: Set<Route>
    /// The paths of other connections, whose data the kernel sends again on another interface.
    private let moving: Set<Route>

    private struct Route: Hashable {
        let local: Endpoint
        let remote: Endpoint
    }

    /// Reads the state of the calling thread's network namespace.
    init() {
        let paths = { (phase: MultipathPath.Phase) -> Set<Route> in
            let found = (try? NetlinkSession(.sockets).multipathPaths(phase)) ?? []
            return Set(found.map { Route(local: $0.local, remote: $0.remote) })
        }
        moving = paths(.established)
        ended = paths(.closing)
    }

    /// Whether everything that this socket's program sent has arrived by another path.
    func haveDelivered(_ socket: ListedSocket) -> Bool {
        ended.contains(Route(local: socket.local, remote: socket.remote))
    }

    /// Whether what this socket has not delivered is sent by another path.
    func isMoving(_ socket: ListedSocket) -> Bool {
        moving.contains(Route(local: socket.local, remote: socket.remote))
    }
}
