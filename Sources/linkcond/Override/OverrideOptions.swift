public import ArgumentParser
public import LinkModel

extension InterfaceOverride.Cost: ExpressibleByArgument {}
extension InterfaceOverride.LowData: ExpressibleByArgument {}
extension InterfaceOverride.Kind: ExpressibleByArgument {}

/// Options for what apps see of an interface.
struct OverrideOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "The interface costs money by volume.", more: "The same as --cost expensive."))
    var expensive = false

    @Flag(
        help: ArgumentHelp(
            "The interface is in Low Data Mode.", more: "The same as --low-data on."))
    var constrained = false

    @Option(
        help: ArgumentHelp(
            "Its cost.", more: "The default follows the kind: cellular and hotspots are expensive."
        ))
    var cost: InterfaceOverride.Cost?

    @Option(
        help: ArgumentHelp(
            "Low Data Mode.", more: "The default follows the kind: on for hotspots."))
    var lowData: InterfaceOverride.LowData?

    @Option(
        help: ArgumentHelp("Its kind.", more: "The default is the kind without an override."))
    var kind: InterfaceOverride.Kind?

    func validate() throws {
        guard !(expensive && cost != nil) else {
            throw ValidationError("--expensive and --cost say the same; leave one out.")
        }
        guard !(constrained && lowData != nil) else {
            throw ValidationError("--constrained and --low-data say the same; leave one out.")
        }
    }

    /// The overrides from the options.
    var change: InterfaceOverride {
        InterfaceOverride(
            cost: expensive ? .expensive : cost, lowData: constrained ? .on : lowData, kind: kind)
    }
}
