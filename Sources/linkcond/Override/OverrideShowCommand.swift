import ArgumentParser
import HostConditioning
import Override

/// `linkcond override show`
struct OverrideShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the overrides and what apps see.",
        discussion: """
            Examples:
              linkcond override show
              linkcond override show --json | jq -r '.overrides[].interface'
            """)

    @Flag(help: "Print JSON, as Profiles/schema/override.schema.json describes it.")
    var json = false

    @OptionGroup(title: "Whose interfaces") var target: TargetOptions

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let console = global.console
        try target.enter(console)
        let overrides = try NetworkOverride.show()
        try console.print(
            json
                ? JSONText.text(of: ["overrides": overrides.map(OverrideJSON.init)])
                : OverrideText.table(overrides, isStyled: console.isStyled))
    }
}
