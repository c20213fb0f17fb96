import ArgumentParser
import Catalog
import UserCatalog

/// Options that name a scenario instead of a profile.
struct ScenarioOptions: ParsableArguments {
    @Option(
        name: .customLong("scenario"),
        help: ArgumentHelp(
            "Play a scenario, by its name or its file.",
            more: "Instead of a profile: timed events for the network and the command.",
            valueName: "name|file"),
        completion: .scenarios)
    var name: String?

    /// The requested scenario; nil: none.
    func entry() throws -> ScenarioCatalog.Entry? {
        try name.map { try UserCatalog.scenarios.entry(named: $0) }
    }
}
