import LinkModel
import NetworkPath

/// The output of `path --json`. The keys are a stable interface: see
/// `Profiles/schema/path.schema.json`.
struct PathJSON: Encodable {
    let status: String
    @OrNull var unsatisfiedReason: String?
    let isExpensive: Bool
    let isConstrained: Bool
    let supportsIPv4: Bool
    let supportsIPv6: Bool
    let supportsDNS: Bool
    let interfaces: [Interface]
    let gateways: [String]

    /// One interface.
    struct Interface: Encodable {
        let name: String
        let kind: String
        let isExpensive: Bool
        let isConstrained: Bool
        let isUp: Bool
        let isUsed: Bool
        let addresses: [String]
    }

    init(_ path: NetworkPath) {
        status = path.status.rawValue
        unsatisfiedReason = path.unsatisfiedReason.map { "\($0)" }
        isExpensive = path.isExpensive
        isConstrained = path.isConstrained
        supportsIPv4 = path.supportsIPv4
        supportsIPv6 = path.supportsIPv6
        supportsDNS = path.supportsDNS
        interfaces = path.interfaces.map { interface in
            Interface(
                name: interface.name, kind: interface.kind.rawValue,
                isExpensive: interface.isExpensive, isConstrained: interface.isConstrained,
                isUp: interface.isUp, isUsed: path.interfacesInUse.contains(interface),
                addresses: interface.addresses)
        }
        gateways = path.gateways.map(\.description)
    }
}
