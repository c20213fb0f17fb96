import ArgumentParser
import DataPlane
import HostConditioning
import LinkModel
import Override

/// `linkcond override set`
struct OverrideSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Sets what apps see of interfaces until linkcond override clear.",
        usage: """
            linkcond override set [-i <name> ...] [--expensive | --cost <cost>]
            [--constrained | --low-data <low-data>] [--kind <kind>]
            [--prefer | --no-prefer] [--for <duration>]
            [--netns <name|path> | --pid <pid> | --container <name|id>]
            """,
        discussion: """
            Settings that are not given stay unchanged, except the time limit: without --for it \
            is removed. Several interfaces are changed together: if one fails, none is changed.

            --prefer makes apps use the interface before all others, through copies of its \
            default routes with a higher preference (proto 108). clear deletes them, and so does \
            the kernel when the interface goes down.

            Examples:
              sudo linkcond override set --expensive --constrained --for 10m
              sudo linkcond override set -i wlan0 --kind hotspot
              sudo linkcond override set -i wwan0 --cost inexpensive --prefer
            """)

    @Option(
        name: [.customShort("i"), .customLong("interface")],
        help: ArgumentHelp(
            "An interface; may be given several times. Default: the one that apps use.",
            valueName: "name"),
        completion: .interfaces)
    var interfaces: [String] = []

    @OptionGroup var options: OverrideOptions

    @Flag(
        inversion: .prefixedNo,
        help: "Make apps use the interface before all others, or follow its routes.")
    var prefer: Bool?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "End the override after this time, such as 10m, even if the caller is gone.",
            valueName: "duration"),
        transform: DurationArgument.parse)
    var duration: Duration?

    @OptionGroup(title: "Whose interfaces") var target: TargetOptions

    @OptionGroup(title: "Whose interfaces") var labels: LabelOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if let duration { try TimeLimitOptions.validate(duration) }
        try labels.validate(target)
        guard change != InterfaceOverride() else {
            throw ValidationError(
                "nothing to set; give --expensive, --constrained, --cost, --low-data, --kind or "
                    + "--prefer.")
        }
    }

    private var change: InterfaceOverride {
        var change = options.change
        change.isPreferred = prefer
        return change
    }

    func run() throws {
        let console = global.console
        if try labels.run(console, .tell) { return }
        try target.enter(console)
        let outcome = try HostOverrides.set(change, on: interfaces, for: duration)
        if let note = outcome.note { console.note(note) }
        let overrides = try NetworkOverride.show()
        for name in outcome.interfaces {
            let override = overrides.first { $0.name == name }
            let text = override.map(OverrideText.text) ?? "nothing is overridden"
            console.report("\(name): \(text)")
        }
        let names = outcome.interfaces.map { "-i \($0)" }
        console.explain(
            "undo it with: "
                + (["linkcond override clear"] + target.words + names).joined(separator: " "))
    }
}
