import ArgumentParser
import DataPlanes
import FoundationEssentials
import Gateway
import HostConditioning
import Override

/// `linkcond clear`
struct ClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Removes the conditions and restores the previous state.",
        discussion: """
            Without an interface it removes everything that linkcond added in this network \
            namespace, no matter who applied it or how that process ended. It keeps what other \
            programs added. --all also covers a single namespace: this one, or that of --netns, \
            --pid or --container.

            Examples:
              sudo linkcond clear
              sudo linkcond clear -i eth0
              sudo linkcond clear --name api
              sudo linkcond clear --container web
              sudo linkcond clear --label role=web
            """)

    @Option(
        name: [.short, .customLong("interface")],
        help: ArgumentHelp(
            "The interface; may be given several times.", valueName: "interface"),
        completion: .interfaces)
    var interfaces: [String] = []

    @Option(
        help: "Only the conditions with this name; default is the name of unnamed conditions.")
    var name: String?

    @Flag(help: "Clear every interface, as without any option.")
    var all = false

    @OptionGroup(title: "Whose interfaces") var target: TargetOptions

    @OptionGroup(title: "Whose interfaces") var labels: LabelOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard !(all && !interfaces.isEmpty) else {
            throw ValidationError("--all and -i contradict each other; leave one out.")
        }
        try labels.validate(target)
        guard !(all && name != nil) else {
            throw ValidationError("--all and --name contradict each other; leave one out.")
        }
    }

    func run() throws {
        let console = global.console
        if try labels.run(console, .continueWithOthers) { return }
        try target.enter(console)
        let planes = DataPlanes(environment: ProcessInfo.processInfo.environment)
        let interfaces = interfaces.map(HostLink.name(of:))
        let cleared = try planes.clear(
            interfaces.isEmpty ? nil : interfaces, conditions: name)
        for interface in cleared {
            console.report("\(interface): cleared" + (name.map { " of \($0)" } ?? ""))
        }
        for interface in interfaces where !cleared.contains(interface) {
            console.report(
                "\(interface): was not conditioned" + (name.map { " under the name \($0)" } ?? ""))
        }
        let environment = ProcessInfo.processInfo.environment
        if interfaces.isEmpty, name == nil,
            try Gateway.restoreAbandoned(environment: environment)
        {
            console.report("restored what a killed gateway had left")
        } else if cleared.isEmpty, interfaces.isEmpty {
            console.report("nothing was conditioned")
        }
        if interfaces.isEmpty, name == nil { tellOverrides(console) }
    }

    /// What is left of linkcond's on purpose.
    private func tellOverrides(_ console: Console) {
        guard let names = try? NetworkOverride.names(), !names.isEmpty else { return }
        console.note(
            "\(names.joined(separator: ", ")): what apps are told stays as linkcond override set it; "
                + "linkcond override clear ends that")
    }
}
