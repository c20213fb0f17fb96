import ArgumentParser
import HostConditioning

/// `linkcond override clear`
struct OverrideClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Removes overrides: apps see the interfaces as they are.",
        discussion: """
            Other text in the interface's alias stays.

            Examples:
              sudo linkcond override clear
              sudo linkcond override clear -i wlan0
            """)

    @Option(
        name: [.customShort("i"), .customLong("interface")],
        help: ArgumentHelp(
            "An interface; may be given several times. Default: all.", valueName: "name"),
        completion: .interfaces)
    var interfaces: [String] = []

    @OptionGroup(title: "Whose interfaces") var target: TargetOptions

    @OptionGroup(title: "Whose interfaces") var labels: LabelOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws { try labels.validate(target) }

    func run() throws {
        let console = global.console
        if try labels.run(console, .continueWithOthers) { return }
        try target.enter(console)
        let outcome = try HostOverrides.clear(interfaces.isEmpty ? nil : interfaces)
        if let note = outcome.note { console.note(note) }
        for name in outcome.interfaces { console.report("\(name): override cleared") }
        for name in interfaces where !outcome.interfaces.contains(name) {
            console.report("\(name): had no override")
        }
        if interfaces.isEmpty, outcome.interfaces.isEmpty {
            console.report("there was no override")
        }
    }
}
