import ArgumentParser
import DataPlane
import HostConditioning
import LinkUnits

/// Options for when conditions end by themselves.
struct TimeLimitOptions: ParsableArguments {
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "End the conditions after this time, such as 10m.",
            more: "Even if the caller is gone.", valueName: "duration"),
        transform: DurationArgument.parse)
    var duration: Duration?

    @Option(
        help: ArgumentHelp(
            "End the conditions when this process ends.",
            more: "With --for, whichever comes first.", valueName: "pid"))
    var untilExitOf: Int32?

    /// A year; more is a mistake.
    private static let longest = Duration.seconds(366 * 86_400)

    func validate() throws {
        if let duration { try Self.validate(duration) }
        if let untilExitOf, untilExitOf <= 0 {
            throw ValidationError("--until-exit-of \(untilExitOf): process IDs begin with 1.")
        }
    }

    /// Throws if a duration is invalid.
    static func validate(_ duration: Duration) throws {
        guard duration > .zero else {
            throw ValidationError("--for \(duration.unitText): has to be longer than nothing.")
        }
        guard duration <= longest else {
            throw ValidationError(
                "--for \(duration.unitText): is longer than a year; "
                    + "without --for there is no limit.")
        }
    }

    /// The limit of conditions that are applied now; nil for none.
    var limit: TimeLimit? {
        guard duration != nil || untilExitOf != nil else { return nil }
        return TimeLimit(after: duration, process: untilExitOf)
    }
}
