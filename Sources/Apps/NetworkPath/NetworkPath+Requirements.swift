extension NetworkPath {
    /// Why there is no way, or none that an app wants.
    public enum UnsatisfiedReason: Hashable, Sendable {
        /// No interface is up.
        case noInterface
        /// Interfaces are up, but no route leads beyond their own networks.
        case noRoute
        /// It costs money by volume, and that is prohibited.
        case expensive
        /// The user wants apps to use little data, and this is prohibited then.
        case constrained
        /// It takes an interface of this kind, which is prohibited, such as cellular.
        case prohibited(NetworkInterface.Kind)
        /// It takes an interface of this kind, which is none of those required.
        case notRequired(NetworkInterface.Kind)
    }

    /// Whether the traffic of an app with these requirements may be sent: there is a way, and
    /// every interface that it takes meets them.
    public func satisfies(_ requirements: NetworkRequirements) -> Bool {
        reasonsUnsatisfied(by: requirements).isEmpty
    }

    /// Everything that stands against sending, the kind of interface first, then costs, then Low
    /// Data Mode; empty if nothing does.
    public func reasonsUnsatisfied(by requirements: NetworkRequirements) -> [UnsatisfiedReason] {
        if let unsatisfiedReason { return [unsatisfiedReason] }
        var reasons: [UnsatisfiedReason] = []
        for reason in interfacesInUse.flatMap({ requirements.reasonsAgainst($0) })
        where !reasons.contains(reason) {
            reasons.append(reason)
        }
        return reasons
    }

    /// The path of an app that sends only by interfaces that meet its requirements, because it
    /// binds its sockets to them. Equivalent to the paths of `NWPathMonitor(requiredInterfaceType:)`.
    ///
    /// It is unsatisfied for the first of `reasonsUnsatisfied(by:)` if there is no such interface.
    public func limited(to requirements: NetworkRequirements) -> NetworkPath {
        guard requirements != .none else { return self }
        let permitted = interfaces.filter { requirements.reasonsAgainst($0).isEmpty }
        var used = interfacesInUse.filter(permitted.contains)
        if used.isEmpty {
            // The loopback leads nowhere, but whoever requires it means to go nowhere.
            used = Array(
                permitted.filter {
                    $0.isAvailable
                        || $0.kind == .loopback && $0.isUp
                            && requirements.requiredInterfaceKinds.contains(.loopback)
                }.prefix(1))
        }
        let names = Set(permitted.map(\.name))
        return NetworkPath(
            interfaces: permitted, interfacesInUse: used,
            gateways: gateways.filter { names.contains($0.interface) }, supportsDNS: supportsDNS,
            unsatisfiedReason: reasonsUnsatisfied(by: requirements).first,
            isWaiting: status == .requiresConnection)
    }
}

extension NetworkPath.UnsatisfiedReason: CustomStringConvertible {
    /// One clause for people.
    public var description: String {
        switch self {
        case .noInterface: "no interface is up"
        case .noRoute: "no route leads to the network"
        case .expensive: "the network is expensive"
        case .constrained: "the network is constrained (Low Data Mode)"
        case .prohibited(let kind): "the network is \(kind), which is prohibited"
        case .notRequired(let kind): "the network is \(kind), which is not what is required"
        }
    }
}
