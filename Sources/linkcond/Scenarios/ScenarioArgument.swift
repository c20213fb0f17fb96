import ArgumentParser
import FoundationEssentials
import ProfileCatalog
import Scenarios

/// What all verbs that take a scenario have in common.
enum ScenarioArgument {
    /// The catalogue of this process: what is built in, and the directories of its user.
    static var catalog: ScenarioCatalog {
        ScenarioCatalog(
            directories: ScenarioCatalog.standardDirectories(
                environment: ProcessInfo.processInfo.environment),
            profiles: ProfileArgument.catalog)
    }

    /// Completes to the names and aliases of all scenarios, blanks as hyphens.
    static let completion = CompletionKind.custom { _, _, _ in names() }

    /// Every name that means a scenario, as it can be typed without quotes.
    static func names() -> [String] {
        let entries = (try? catalog.all().entries) ?? []
        var seen: Set<String> = []
        return entries.flatMap { [$0.scenario.name] + $0.scenario.aliases }
            .map { name in String(name.map { $0 == " " ? "-" : $0 }) }
            .filter { seen.insert($0).inserted }
    }
}
