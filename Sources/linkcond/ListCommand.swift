import ArgumentParser
import Catalog
import LinkModel
import Scenarios
import UserCatalog

/// `linkcond list`
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the available profiles or scenarios.",
        discussion: """
            It prints one line per profile: name, bandwidth toward the app (down) and from the app \
            (up), one-way delay and loss of both directions ("down / up" if they differ), and \
            family. Built-in profiles come first, then yours with their file, from .linkcond, \
            $XDG_CONFIG_HOME/linkcond/profiles (~/.config/linkcond/profiles) and \
            /etc/linkcond/profiles. If several families share a name, write family/name; a name \
            without a family means apple's.

            Notes on standard error name invalid profile files, and profiles whose name is already \
            taken.

            With --scenarios it lists the scenarios: their duration, interfaces and events. Yours \
            come from .linkcond/scenarios, ~/.config/linkcond/scenarios and /etc/linkcond/scenarios.

            Examples:
              linkcond list
              linkcond list --family apple
              linkcond list --json | jq -r '.[].id'
              linkcond list --scenarios
            """)

    @Option(
        help: "Only the profiles of this family, such as apple or user.", completion: .families)
    var family: String?

    @Flag(help: "List scenarios instead of profiles.")
    var scenarios = false

    @Flag(
        help: """
            Print JSON, as list.schema.json or list-scenarios.schema.json in Profiles/schema \
            describes it.
            """)
    var json = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if scenarios, family != nil {
            throw ValidationError("scenarios have no families; leave --family out.")
        }
    }

    func run() throws {
        if scenarios { return try listScenarios() }
        let catalog = UserCatalog.profiles
        let console = global.console
        let (all, problems) = catalog.all()
        let entries = try family.map { try ProfileCatalog.entries(of: $0, among: all) } ?? all
        console.explain("your profiles come from \(catalog.directories.joined(separator: ", "))")
        for problem in problems { console.note("\(problem)") }
        for clash in ProfileCatalog.clashes(among: all) { console.note("\(clash)") }
        if json {
            try console.print(JSONText.text(of: entries.map { ProfileJSON($0.profile) }))
        } else {
            try console.print(ProfileTable.list(entries).text(isStyled: console.isStyled))
        }
    }

    private func listScenarios() throws {
        let catalog = UserCatalog.scenarios
        let console = global.console
        let (entries, problems) = try catalog.all()
        console.explain("your scenarios come from \(catalog.directories.joined(separator: ", "))")
        for problem in problems { console.note("\(problem)") }
        if json {
            try console.print(
                JSONText.text(of: entries.map { ScenarioSummaryJSON($0.scenario, file: $0.file) }))
        } else {
            try console.print(ScenarioTable.list(entries).text(isStyled: console.isStyled))
        }
    }
}
