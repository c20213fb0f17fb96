/// A named set of conditions for both directions.
public struct Profile: Sendable, Hashable {
    /// The kind of interface that an app sees inside a sandbox.
    public enum InterfaceKind: String, Sendable, Hashable, CaseIterable {
        case wifi, cellular, wired, other
    }

    /// The display name, unique within the family, ignoring case.
    public var name: String
    /// The collection it belongs to, such as `apple`.
    public var family: String
    /// Further names, unique without the family.
    public var aliases: [String]
    /// One sentence that helps to choose a profile.
    public var summary: String
    /// Where the numbers come from.
    public var source: String
    /// The kind of interface.
    public var interface: InterfaceKind
    /// What the link does to packets.
    public var conditions: LinkConditions
    /// Whether traffic costs money by volume (metered).
    public var isExpensive: Bool
    /// Whether the interface is in Low Data Mode.
    public var isConstrained: Bool

    /// Makes a profile.
    public init(
        name: String, family: String, aliases: [String] = [], summary: String = "",
        source: String = "", interface: InterfaceKind = .other,
        conditions: LinkConditions = .init(), isExpensive: Bool = false,
        isConstrained: Bool = false
    ) {
        self.name = name
        self.family = family
        self.aliases = aliases
        self.summary = summary
        self.source = source
        self.interface = interface
        self.conditions = conditions
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }

    /// The name that is unique among all families: `apple/Very-Bad-Network`.
    public var id: String {
        name.split(separator: " ").enumerated().reduce(into: family + "/") { id, word in
            // `joined`, or to append a substring, has the Swift runtime search all protocol
            // conformances of the program.
            if word.offset > 0 { id += "-" }
            id += String(word.element)
        }
    }
}
