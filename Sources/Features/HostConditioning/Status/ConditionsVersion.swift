import DataPlane
import LinkModel

/// A word that changes whenever conditions are applied anew, but not with their counters, so that
/// programs notice what others have changed.
struct ConditionsVersion {
    /// Sixteen hexadecimal digits at most.
    let text: String

    init(_ conditions: ConditionedInterface) {
        let limit = conditions.limit
        let parts = [
            conditions.interface, conditions.name, conditions.profile, conditions.plane.rawValue,
            conditions.selection, "\(conditions.since)", "\(limit?.ends ?? 0)",
            "\(limit?.process ?? 0)", "\(conditions.seed ?? 0)",
            conditions.directions.keys.map(\.rawValue).sorted().joined(separator: ","),
        ]
        // FNV-1a with 64 bits.
        let hash = parts.joined(separator: "\0").utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        text = String(hash, radix: 16)
    }
}
