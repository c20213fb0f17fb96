import ArgumentParser
import LinkModel

/// How late packets may be.
struct ToleranceOptions: ParsableArguments {
    @Option(
        name: .customLong("faithful"),
        help: ArgumentHelp(
            "How late one packet in a hundred may be, such as '2 ms'.",
            more: "Beyond it, the end of the run says that the machine was too busy. Default: "
                + "1 ms, or 1% of the link's delay if that is more. Needs the packet engine.",
            valueName: "within"),
        transform: DurationArgument.parse)
    var limit: Duration?

    /// The tolerance to measure by.
    var tolerance: LatenessTolerance { limit.map(LatenessTolerance.within) ?? .standard }
}
