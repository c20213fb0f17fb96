extension NetworkPath {
    /// Why there is no path, or none that meets an app's requirements.
    public enum UnsatisfiedReason: Hashable, Sendable {
        /// No interface is up.
        case noInterface
        /// Interfaces are up, but no route leads beyond their own networks.
        case noRoute
        /// It costs money by volume, which is prohibited.
        case expensive
        /// It is in Low Data Mode, which is prohibited.
        case constrained
        /// It uses an interface of a prohibited kind, such as cellular.
        case prohibited(NetworkInterface.Kind)
        /// It uses an interface that is not of a required kind.
        case notRequired(NetworkInterface.Kind)
    }

    /// Whether an app with these requirements may send: there is a path, and every interface that
    /// it uses meets them.
    public func satisfies(_ requirements: NetworkRequirements) -> Bool {
        reasonsUnsatisfied(by: requirements).isEmpty
    }

    /// All reasons against sending: kinds of interfaces first, then cost, then Low Data Mode; empty
    /// if there are none.
    public func reasonsUnsatisfied(by requirements: NetworkRequirements) -> [UnsatisfiedReason] {
        if let unsatisfiedReason { return [unsatisfiedReason] }
        var reasons: [UnsatisfiedReason] = []
        for reason in interfacesInUse.flatMap({ requirements.reasonsAgainst($0) })
        where !reasons.contains(reason) {
            reasons.append(reason)
        }
        return reasons
    }

    /// The path of an app that sends only over interfaces that meet its requirements, because it
    /// binds its sockets to them. Equivalent to the paths of
    /// `NWPathMonitor(requiredInterfaceType:)`.
    ///
    /// Without such an interface it is unsatisfied for the first of `reasonsUnsatisfied(by:)`.
    public func limited(to requirements: NetworkRequirements) -> NetworkPath {
        guard requirements != .none else { return self }
        let permitted = interfaces.filter { requirements.reasonsAgainst($0).isEmpty }
        var used = interfacesInUse.filter(permitted.contains)
        if used.isEmpty {
            // The loopback leads to no network, but an app that requires it wants only that.
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
