import ArgumentParser
import Conditioner
import LinkUnits

/// Options that say when conditions end by themselves.
struct TimeLimitOptions: ParsableArguments {
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "End the conditions after this time, such as 10m, whatever becomes of the caller.",
            valueName: "duration"),
        transform: DurationArgument.parse)
    var duration: Duration?

    @Option(
        help: ArgumentHelp(
            "End the conditions when this process does; with --for, when the first of both comes.",
            valueName: "pid"))
    var untilExitOf: Int32?

    /// A year; more is a mistake.
    private static let longest = Duration.seconds(366 * 86_400)

    func validate() throws {
        if let duration, duration <= .zero {
            throw ValidationError("--for \(duration.unitText): has to be longer than nothing.")
        }
        if let duration, duration > Self.longest {
            throw ValidationError(
                "--for \(duration.unitText): is longer than a year; "
                    + "without --for the conditions stand until linkcond clear.")
        }
        if let untilExitOf, untilExitOf <= 0 {
            throw ValidationError("--until-exit-of \(untilExitOf): process IDs begin with 1.")
        }
    }

    /// The limit of conditions that are applied at `now`, in seconds since 1970; nil for none.
    func limit(now: Int64) -> TimeLimit? {
        guard duration != nil || untilExitOf != nil else { return nil }
        let until = duration.map { now + Int64(($0 / .seconds(1)).rounded(.up)) }
        return TimeLimit(until: until, process: untilExitOf)
    }
}
