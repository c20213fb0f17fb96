import LinkModel
public import NetworkPath
public import Override

/// The override of one interface in `override show --json`. The keys are a stable interface: see
/// `Profiles/schema/override.schema.json`.
public struct OverrideJSON: Encodable {
    let interface: String
    let expensive: Bool
    let constrained: Bool
    let cost: String
    let lowData: String
    @OrNull var kind: String?
    let preferred: Bool
    @OrNull var until: String?
    @OrNull var problem: String?

    /// Makes the object for an override.
    public init(_ override: OverriddenInterface) {
        let mark = override.mark
        interface = override.name
        expensive = override.isExpensive
        constrained = override.isConstrained
        cost = mark.cost.rawValue
        lowData = mark.lowDataText
        kind = mark.kindText
        preferred = mark.isPreferred && !override.hasLostPreference
        until = mark.until.map(Timestamp.text)
        problem = HostOverrides.problem(with: override)
    }
}

extension NetworkMark {
    /// The kind of interface as a word; nil for the kernel's.
    public var kindText: String? { isHotspot ? "hotspot" : kind?.rawValue }

    /// Low Data Mode as a word.
    public var lowDataText: String { isConstrained.map { $0 ? "on" : "off" } ?? "default" }
}
