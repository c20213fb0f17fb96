import ArgumentParser
import Catalog
import UserCatalog

/// A scenario in place of a profile.
struct ScenarioOptions: ParsableArguments {
    @Option(
        name: .customLong("scenario"),
        help: ArgumentHelp(
            "Plays a scenario in place of a profile, by its name or the path of its file: what "
                + "happens to the network and to the command, and when.",
            valueName: "name or file"),
        completion: .scenarios)
    var name: String?

    /// The scenario that is asked for; nil: none.
    func entry() throws -> ScenarioCatalog.Entry? {
        try name.map { try UserCatalog.scenarios.entry(named: $0) }
    }
}
