import ArgumentParser
import Catalog
import UserCatalog

/// Options that name a scenario instead of a profile.
struct ScenarioOptions: ParsableArguments {
    @Option(
        name: .customLong("scenario"),
        help: ArgumentHelp(
            "Plays a scenario in place of a profile, by its name or the path of its file: what "
                + "happens to the network and to the command, and when.",
            valueName: "name or file"),
        completion: .scenarios)
    var name: String?

    /// The requested scenario; nil: none.
    func entry() throws -> ScenarioCatalog.Entry? {
        try name.map { try UserCatalog.scenarios.entry(named: $0) }
    }
}
