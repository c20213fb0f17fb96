import ArgumentParser
import Conditioner
import FoundationEssentials

/// `linkcond clear`
struct ClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Takes the conditions away and restores what stood there before.",
        discussion: """
            Without an interface it clears everything that linkcond added in this network \
            namespace, whoever applied it and however that process ended. What other programs \
            added stays.

            Examples:
              sudo linkcond clear
              sudo linkcond clear -i eth0
            """)

    @Option(
        name: [.short, .customLong("interface")],
        help: ArgumentHelp(
            "The interface; may be given several times.", valueName: "interface"))
    var interfaces: [String] = []

    @Flag(help: "Clear every interface, as without any option.")
    var all = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard !(all && !interfaces.isEmpty) else {
            throw ValidationError("--all and -i contradict each other; leave one out.")
        }
    }

    func run() throws {
        let console = global.console
        let conditioner = try Conditioner(environment: ProcessInfo.processInfo.environment)
        let cleared = try conditioner.clear(interfaces.isEmpty ? nil : interfaces)
        for name in cleared { console.report("\(name): cleared") }
        for name in interfaces where !cleared.contains(name) {
            console.report("\(name): was not conditioned")
        }
        if cleared.isEmpty, interfaces.isEmpty { console.report("nothing was conditioned") }
    }
}
