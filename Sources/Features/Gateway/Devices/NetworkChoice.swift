import Catalog
public import LinkModel
import UserCatalog

/// What a device gets: the conditions of a profile, or none.
public struct NetworkChoice: Sendable, Hashable, Codable {
    /// The name that people see: of the profile, with what was changed of it.
    public var title: String
    /// The conditions, as the device sees them; nil: its traffic just passes.
    public var conditions: LinkConditions?
    /// Whether the network costs money by volume.
    public var isExpensive: Bool

    /// Makes a choice.
    public init(title: String, conditions: LinkConditions?, isExpensive: Bool = false) {
        self.title = title
        self.conditions = conditions
        self.isExpensive = isExpensive
    }

    /// No conditions.
    public static let none = NetworkChoice(title: "none", conditions: nil)

    /// The words for no conditions.
    private static let wordsForNone = ["none", "off"]

    /// Whether there is anything to do.
    var needsLink: Bool { conditions.map { $0 != LinkConditions() } ?? false }

    /// Finds the profile called `name` and changes it by `settings`, such as `down.loss=2%`; `none`
    /// and `off` mean no conditions.
    public static func named(_ name: String, settings: [String] = []) throws -> NetworkChoice {
        if wordsForNone.contains(name.lowercased()) {
            guard settings.isEmpty else {
                throw GatewayError(
                    "--set \(settings[0]): \(name) has no conditions to change; name a profile",
                    status: .usage)
            }
            return .none
        }
        let profile = try UserCatalog.profiles.entry(named: name).profile
        let conditions = try profile.conditions(changedBy: settings)
        return NetworkChoice(
            title: ([profile.id] + settings).joined(separator: ", "), conditions: conditions,
            // Like the network of a run: what is cellular costs money.
            isExpensive: profile.isExpensive || profile.interface == .cellular)
    }
}
