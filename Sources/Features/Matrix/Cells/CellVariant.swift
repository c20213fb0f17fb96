/// A profile with one field at another value, which the command has to survive.
public struct CellVariant: Sendable, Hashable {
    /// The profile as the user named it.
    public let profile: String
    /// The field, such as `down.bandwidth`, or `delay` for both directions.
    public let field: String
    /// The value, as a profile writes it.
    public let value: String

    /// The changes of the profile, as `--set` takes them.
    public var settings: [String] { Self.settings(field, value) }

    /// What it is called in reports, in the place of the profile.
    public var name: String { "\(profile), \(field)=\(value)" }

    /// The changes for a field of one direction, of both, or of none.
    static func settings(_ field: String, _ value: String) -> [String] {
        field.contains(".")
            ? ["\(field)=\(value)"] : ["down.\(field)=\(value)", "up.\(field)=\(value)"]
    }
}

extension MatrixSpecification {
    /// What the command has to survive with a profile, in the order of the fields.
    public func variants(of profile: String) -> [CellVariant] {
        let values = expectations[profile]?.survives ?? [:]
        return values.sorted { $0.key < $1.key }.map { field, value in
            CellVariant(profile: profile, field: field, value: value)
        }
    }
}
