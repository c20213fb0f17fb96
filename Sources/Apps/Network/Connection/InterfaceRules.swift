import NetworkPath

/// Which interfaces a connection or a listener may use.
struct InterfaceRules: Hashable, Sendable {
    let requirements: NetworkRequirements
    let required: Int?
    let prohibited: Set<Int>

    init(_ parameters: NWParameters) {
        let values = parameters.values
        let type = values.requiredInterfaceType
        requirements = NetworkRequirements(
            prohibitsExpensive: values.prohibitExpensivePaths,
            prohibitsConstrained: values.prohibitConstrainedPaths,
            requiredInterfaceKinds: type == .other ? [] : [type.kind],
            prohibitedInterfaceKinds: Set((values.prohibitedInterfaceTypes ?? []).map(\.kind)))
        required = values.requiredInterface?.index
        prohibited = Set((values.prohibitedInterfaces ?? []).map(\.index))
    }

    /// Whether one interface, or one kind, is required.
    var isBound: Bool { required != nil || !requirements.requiredInterfaceKinds.isEmpty }

    func permits(_ interface: NetworkInterface) -> Bool {
        (required ?? Int(interface.index)) == Int(interface.index)
            && !prohibited.contains(Int(interface.index))
            && requirements.reasonsAgainst(interface).isEmpty
    }

    /// The ways to another host, in order of preference: an interface to which the socket is bound,
    /// or nil for the kernel's routes. Empty if there is no permitted network.
    ///
    /// As soon as an interface is up that must not be used, sockets are bound: the kernel's routes
    /// could lead there.
    func candidates(on path: NetworkPath) -> [NetworkInterface?] {
        let up = path.interfaces.filter { $0.isUp && $0.kind != .loopback }
        guard isBound || !up.allSatisfy(permits) else { return up.isEmpty ? [] : [nil] }
        let permitted = up.filter(permits)
        let available = permitted.filter(\.isAvailable)
        let used = available.filter(path.interfacesInUse.contains)
        let others = available.filter { !used.contains($0) }
        // Without a default route, hosts on the interface's own network are still reachable.
        return available.isEmpty ? permitted : used + others
    }

    /// The path of an app with these rules. Of a connection, `interface` is the one that it uses.
    func view(of path: NetworkPath, over interface: NetworkInterface? = nil) -> NetworkPath {
        let limited = path.limited(to: requirements)
        let own = interface.flatMap { own in path.interfaces.first { $0.index == own.index } }
        guard own != nil || required != nil || !prohibited.isEmpty else { return limited }
        let permitted = limited.interfaces.filter(permits)
        let used = permitted.filter { limited.interfacesInUse.contains($0) || $0.isAvailable }
        let names = Set(permitted.map(\.name))
        return NetworkPath(
            interfaces: permitted,
            interfacesInUse: own.map { [$0] } ?? Array(used.prefix(1)),
            gateways: limited.gateways.filter { names.contains($0.interface) },
            supportsDNS: path.supportsDNS)
    }

    /// What a path means for an established connection.
    struct Outlook: Hashable, Sendable {
        /// Whether packets can be sent and received.
        var isViable = true
        /// Whether a new connection would use another interface.
        var hasBetter = false
    }

    /// What `path` means for a connection over `interface`.
    ///
    /// - Parameter isMultipath: Whether it can move by itself.
    func outlook(
        on path: NetworkPath, over interface: NetworkInterface, isMultipath: Bool = false
    ) -> Outlook {
        let permitted = path.availableInterfaces.filter(permits)
        guard !isMultipath else { return Outlook(isViable: !permitted.isEmpty) }
        let now = path.interfaces.first { $0.index == interface.index }
        // Hosts on an interface's own network need no default route.
        let isUsable = interface.isAvailable ? now?.isAvailable : now?.isUp
        let isViable = (isUsable ?? false) && now.map(permits) ?? false
        guard let best = permitted.first, best.index != interface.index else {
            return Outlook(isViable: isViable)
        }
        let isInUse = path.interfacesInUse.contains { $0.index == interface.index }
        return Outlook(
            isViable: isViable, hasBetter: !isViable || interface.isAvailable && !isInUse)
    }
}
