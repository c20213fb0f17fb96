import LinkModel
import NetworkOverride
import NetworkPath

/// What `override show --json` prints. The keys are a promise: see
/// `Profiles/schema/override.schema.json`.
struct OverridesJSON: Encodable {
    let overrides: [OverrideJSON]
}

/// The override of one interface.
struct OverrideJSON: Encodable {
    let interface: String
    let expensive: Bool
    let constrained: Bool
    let cost: String
    let lowData: String
    @OrNull var kind: String?
    let preferred: Bool
    @OrNull var until: String?
    @OrNull var problem: String?

    init(_ override: OverriddenInterface) {
        let mark = override.mark
        interface = override.name
        expensive = override.isExpensive
        constrained = override.isConstrained
        cost = mark.cost.rawValue
        lowData = OverrideText.lowData(mark)
        kind = mark.isHotspot ? "hotspot" : mark.kind?.rawValue
        preferred = mark.isPreferred
        until = mark.until.map(Timestamp.text)
        problem = OverrideText.problem(with: mark)
    }
}
