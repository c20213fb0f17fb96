import ArgumentParser
import FoundationEssentials
import ProfileCatalog
import Scenarios

/// What all verbs that take a scenario have in common.
enum ScenarioArgument {
    /// The catalogue of this process: what is built in, and the directories of its user.
    static var catalog: ScenarioCatalog {
        let directories = UserDirectories()
        return ScenarioCatalog(
            directories: directories.scenarios, profiles: ProfileArgument.catalog,
            owner: directories.owner)
    }

    /// Completes to the names and aliases of all scenarios, blanks as hyphens.
    static let completion = CompletionKind.custom { _, _, _ in names() }

    /// Completes to all names of profiles and scenarios.
    static let completionWithProfiles = CompletionKind.custom { _, _, _ in
        let profiles = ProfileArgument.names()
        return profiles + names().filter { !profiles.contains($0) }
    }

    /// What a name can mean where both are welcome.
    enum Meaning {
        case profile(ProfileCatalog.Entry)
        case scenario(ScenarioCatalog.Entry)
    }

    /// The profile of this name, else the scenario; a file is what it looks like.
    static func profileOrScenario(named name: String) throws(CatalogError) -> Meaning {
        if ScenarioCatalog.isFileOfScenario(name) {
            return .scenario(try catalog.entry(named: name))
        }
        do {
            return .profile(try ProfileArgument.catalog.entry(named: name))
        } catch CatalogError.unknown(let unknown, let suggestion) {
            do {
                return .scenario(try catalog.entry(named: name))
            } catch CatalogError.unknownScenario(_, let other) {
                throw .unknown(unknown, suggestion: suggestion ?? other)
            }
        }
    }

    /// Every name that means a scenario, as it can be typed without quotes.
    static func names() -> [String] {
        let entries = (try? catalog.all().entries) ?? []
        var seen: Set<String> = []
        return entries.flatMap { [$0.scenario.name] + $0.scenario.aliases }
            .map { name in String(name.map { $0 == " " ? "-" : $0 }) }
            .filter { seen.insert($0).inserted }
    }
}
