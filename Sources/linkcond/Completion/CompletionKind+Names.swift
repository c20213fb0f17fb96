import ArgumentParser
import UserCatalog

extension CompletionKind {
    /// The names and aliases of all profiles, with hyphens for blanks.
    static var profiles: CompletionKind { .custom { _, _, _ in UserCatalog.profileNames() } }

    /// The names and aliases of all scenarios, with hyphens for blanks.
    static var scenarios: CompletionKind { .custom { _, _, _ in UserCatalog.scenarioNames() } }

    /// The names and aliases of all profiles and scenarios.
    static var profilesAndScenarios: CompletionKind {
        .custom { _, _, _ in
            let profiles = UserCatalog.profileNames()
            return profiles + UserCatalog.scenarioNames().filter { !profiles.contains($0) }
        }
    }
}
