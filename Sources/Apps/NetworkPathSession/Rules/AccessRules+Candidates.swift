import Foundation
import NetworkPath

/// A way to the server that a task may try.
struct Candidate: Hashable, Sendable {
    /// The interface to which it binds its sockets; nil to follow the kernel's routes.
    var interface: NetworkInterface?
    /// Whether its sockets are Multipath TCP.
    var isMultipath = false

    /// Follows the kernel's routes.
    static let system = Candidate()
}

extension AccessRules {
    /// The ways that a task may try, in order of preference; empty if every network is prohibited.
    ///
    /// The first always follows the kernel's routes, since only they lead to hosts behind a VPN or
    /// on an interface's own network. Each socket of it is judged by the route that the kernel has
    /// chosen (`prohibition(from:scope:to:on:)`), before any packet is sent. The others are bound
    /// to a permitted interface that the kernel would not use by itself.
    func candidates(on path: NetworkPath?) -> [Candidate] {
        guard let path, !isLocal else { return [.system] }
        guard prohibition(of: path) == nil else { return [] }
        let available = path.availableInterfaces
        let isFree = path.interfacesInUse.allSatisfy(permits)
        let bound = available.filter { interface in
            permits(interface) && !(isFree && path.interfacesInUse.contains(interface))
        }
        // The kernel opens subflows on any interface, so all must be permitted.
        let isMultipath = multipath != .none && available.allSatisfy(permits)
        return [Candidate(isMultipath: isMultipath)]
            + bound.map { Candidate(interface: $0, isMultipath: isMultipath) }
    }

    /// Whether it is better to begin anew on `path` than to go on connecting on an `earlier` one.
    /// Without a network, an earlier one may come back.
    func isBetterStart(_ path: NetworkPath, than earlier: NetworkPath) -> Bool {
        prohibition(of: path) != nil
            || path.status == .satisfied
                && (path.interfacesInUse != earlier.interfacesInUse
                    || candidates(on: path) != candidates(on: earlier))
    }

    /// What a new path means for a connection.
    enum PathVerdict: Hashable, Sendable {
        /// Nothing.
        case fine
        /// This interface is preferred to that of the connection.
        case better(NetworkInterface)
        /// The connection has no future: its interface is prohibited, or gone although another
        /// leads to the network.
        case lost(URLError.NetworkUnavailableReason?)
    }

    /// What `path` means for a connection over `interface`, which was made on an earlier path.
    func verdict(
        on path: NetworkPath, connectedBy interface: NetworkInterface, isMultipath: Bool = false
    ) -> PathVerdict {
        guard !isLocal else { return .fine }
        let now = path.interfaces.first { $0.index == interface.index }
        if let reason = prohibition(of: now ?? interface) { return .lost(reason) }
        let permitted = path.availableInterfaces.filter(permits)
        if isMultipath {
            // It moves by itself, to any interface.
            let reasons = path.availableInterfaces.compactMap(prohibition)
            return reasons.first.map { PathVerdict.lost($0) } ?? .fine
        }
        let isUsable = interface.isAvailable ? now?.isAvailable : now?.isUp
        guard isUsable ?? false else {
            // Without another network it may come back, and the connection with it.
            return permitted.isEmpty ? .fine : .lost(nil)
        }
        // Hosts on an interface's own network are reached by that alone.
        guard interface.isAvailable, let best = permitted.first, best.index != interface.index,
            !path.interfacesInUse.contains(where: { $0.index == interface.index })
        else { return .fine }
        return .better(best)
    }
}
