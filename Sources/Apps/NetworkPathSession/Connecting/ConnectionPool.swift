import HTTPTransport
import NetworkPath
import Synchronization

/// The connections of a session, kept for later requests: a client for each way out of this host.
/// Connections that were made over an interface that has gone would hang.
final class ConnectionPool: Sendable {
    /// What connections depend on.
    struct Way: Hashable, Sendable {
        /// The interfaces, by their identities and addresses.
        var interfaces: [Interface]
        var isBound: Bool
        var isMultipath: Bool

        struct Interface: Hashable, Sendable {
            var index: Int32
            var addresses: [String]

            init(_ interface: NetworkInterface) {
                (index, addresses) = (interface.index, interface.addresses)
            }
        }

        /// The way of `candidate` on `path`.
        init(_ candidate: Candidate, on path: NetworkPath?) {
            isBound = candidate.interface != nil
            isMultipath = candidate.isMultipath
            interfaces = (candidate.interface.map { [$0] } ?? path?.interfacesInUse ?? [])
                .map(Interface.init)
        }

        /// Whether connections over it are still of use on `path`.
        func isUseful(on path: NetworkPath) -> Bool {
            let present = path.interfaces.map(Interface.init)
            let used = path.interfacesInUse.map(Interface.init)
            return isBound ? interfaces.allSatisfy(present.contains) : interfaces == used
        }
    }

    private let clients = Mutex<[Way: TransportClient]>([:])
    private let connectionsPerHost: Int

    init(connectionsPerHost: Int) {
        self.connectionsPerHost = connectionsPerHost
    }

    /// The client for `candidate` on `path`. Those that are of no use any more go with their last
    /// exchange.
    func client(
        for candidate: Candidate, on path: NetworkPath?
    ) throws(ExchangeFailure) -> TransportClient {
        let way = Way(candidate, on: path)
        if let client = clients.withLock({ $0[way] }) { return client }
        let new = try TransportClient(connectionsPerHost: connectionsPerHost)
        // Dropped outside the lock, since a client cancels its exchanges.
        let (client, dropped) = clients.withLock { clients in
            let useless = clients.filter { entry in
                path.map { !entry.key.isUseful(on: $0) } ?? false
            }
            for way in useless.keys { clients[way] = nil }
            let client = clients[way] ?? new
            clients[way] = client
            return (client, useless)
        }
        _ = dropped
        return client
    }

    /// Drops connections that nobody uses at the moment.
    func removeAll() {
        let dropped = clients.withLock { clients in
            defer { clients = [:] }
            return clients
        }
        _ = dropped
    }
}
