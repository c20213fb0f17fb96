import NetworkPath

/// A path, for people.
enum PathText {
    /// One line: `satisfied by wlan0 (wifi), expensive`.
    static func summary(of path: NetworkPath) -> String {
        guard path.status == .satisfied else {
            let reason = path.unsatisfiedReason.map { ": \($0)" } ?? ""
            return path.status == .requiresConnection
                ? "requires a connection\(reason)" : "unsatisfied\(reason)"
        }
        let names = path.interfacesInUse.map { "\($0.name) (\($0.kind.rawValue))" }
        let families = [path.supportsIPv4 ? "IPv4" : nil, path.supportsIPv6 ? "IPv6" : nil]
        return "satisfied by \(names.joined(separator: " and ")), "
            + "\(path.isExpensive ? "expensive" : "not expensive"), "
            + "\(path.isConstrained ? "constrained" : "not constrained"), "
            + families.compactMap { $0 }.joined(separator: " and ")
            + (path.supportsDNS ? "" : ", no DNS")
    }

    /// The summary, the interfaces, and the gateways.
    static func text(of path: NetworkPath, isStyled: Bool) -> String {
        var text = summary(of: path) + "\n"
        guard !path.interfaces.isEmpty else { return text }
        var table = Table([
            "INTERFACE", "KIND", "UP", "USED", "EXPENSIVE", "CONSTRAINED", "ADDRESSES",
        ])
        let answer = { $0 ? "yes" : "no" }
        for interface in path.interfaces {
            table.add([
                interface.name, interface.kind.rawValue, answer(interface.isUp),
                answer(path.interfacesInUse.contains(interface)), answer(interface.isExpensive),
                answer(interface.isConstrained), interface.addresses.joined(separator: " "),
            ])
        }
        text += table.text(isStyled: isStyled)
        guard !path.gateways.isEmpty else { return text }
        return text + "Gateways: \(path.gateways.map(\.description).joined(separator: ", "))\n"
    }
}
