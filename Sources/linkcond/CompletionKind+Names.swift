import ArgumentParser
import UserCatalog

extension CompletionKind {
    /// The names and aliases of all profiles, blanks as hyphens.
    static var profiles: CompletionKind { .custom { _, _, _ in UserCatalog.profileNames() } }

    /// The names and aliases of all scenarios, blanks as hyphens.
    static var scenarios: CompletionKind { .custom { _, _, _ in UserCatalog.scenarioNames() } }

    /// All names of profiles and scenarios.
    static var profilesAndScenarios: CompletionKind {
        .custom { _, _, _ in
            let profiles = UserCatalog.profileNames()
            return profiles + UserCatalog.scenarioNames().filter { !profiles.contains($0) }
        }
    }
}
