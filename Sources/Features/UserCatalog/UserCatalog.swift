public import Catalog
import LinkModel
import Scenarios

/// The profiles and scenarios available to the user: built-in ones, and those in the user's
/// directories.
public enum UserCatalog {
    /// The profiles.
    public static var profiles: ProfileCatalog {
        let directories = UserDirectories()
        return ProfileCatalog(directories: directories.profiles, owner: directories.owner)
    }

    /// The scenarios.
    public static var scenarios: ScenarioCatalog {
        let directories = UserDirectories()
        return ScenarioCatalog(
            directories: directories.scenarios, profiles: profiles, owner: directories.owner)
    }

    /// Every name of a profile, in a form that needs no quotes.
    public static func profileNames() -> [String] {
        typable(
            profiles.all().entries.flatMap { entry in
                [entry.profile.name] + entry.profile.aliases + [entry.profile.id]
            })
    }

    /// Every name of a scenario, in a form that needs no quotes.
    public static func scenarioNames() -> [String] {
        let entries = (try? scenarios.all().entries) ?? []
        return typable(entries.flatMap { [$0.scenario.name] + $0.scenario.aliases })
    }

    /// Unique names with hyphens for blanks.
    private static func typable(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.map { name in String(name.map { $0 == " " ? "-" : $0 }) }
            .filter { seen.insert($0).inserted }
    }

    /// The meaning of a name where profiles and scenarios are accepted.
    public enum Meaning {
        /// A profile.
        case profile(ProfileCatalog.Entry)
        /// A scenario.
        case scenario(ScenarioCatalog.Entry)
    }

    /// The profile with this name, or else the scenario; for a file, its content decides.
    public static func profileOrScenario(named name: String) throws(CatalogError) -> Meaning {
        if ScenarioCatalog.isFileOfScenario(name) {
            return .scenario(try scenarios.entry(named: name))
        }
        do {
            return .profile(try profiles.entry(named: name))
        } catch CatalogError.isScenario(let name) {
            return .scenario(try scenarios.entry(named: name))
        } catch CatalogError.unknown(let unknown, let suggestion) {
            do {
                return .scenario(try scenarios.entry(named: name))
            } catch CatalogError.unknownScenario(_, let other) {
                throw .unknown(unknown, suggestion: suggestion ?? other)
            }
        }
    }
}
