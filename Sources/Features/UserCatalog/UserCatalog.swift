public import Catalog
import LinkModel
import Scenarios

/// What the caller of this process can name: profiles and scenarios that are built in, and those
/// in their directories.
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

    /// Every name that means a profile, as it can be typed without quotes.
    public static func profileNames() -> [String] {
        typable(
            profiles.all().entries.flatMap { entry in
                [entry.profile.name] + entry.profile.aliases + [entry.profile.id]
            })
    }

    /// Every name that means a scenario, as it can be typed without quotes.
    public static func scenarioNames() -> [String] {
        let entries = (try? scenarios.all().entries) ?? []
        return typable(entries.flatMap { [$0.scenario.name] + $0.scenario.aliases })
    }

    /// Names with hyphens for blanks, each once.
    private static func typable(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.map { name in String(name.map { $0 == " " ? "-" : $0 }) }
            .filter { seen.insert($0).inserted }
    }

    /// What a name can mean where profiles and scenarios are welcome.
    public enum Meaning {
        /// It is a profile's.
        case profile(ProfileCatalog.Entry)
        /// It is a scenario's.
        case scenario(ScenarioCatalog.Entry)
    }

    /// The profile of this name, else the scenario; a file is what it looks like.
    public static func profileOrScenario(named name: String) throws(CatalogError) -> Meaning {
        if ScenarioCatalog.isFileOfScenario(name) {
            return .scenario(try scenarios.entry(named: name))
        }
        do {
            return .profile(try profiles.entry(named: name))
        } catch CatalogError.unknown(let unknown, let suggestion) {
            do {
                return .scenario(try scenarios.entry(named: name))
            } catch CatalogError.unknownScenario(_, let other) {
                throw .unknown(unknown, suggestion: suggestion ?? other)
            }
        }
    }
}
