import LinkModel
import LinkUnits

/// When a run passes: by its exit code, and by a measure if one is given.
public struct SuccessRule: Codable, Sendable, Hashable {
    /// What is measured: `duration`, or a regular expression whose first group is a number that the
    /// command prints; nil: only the exit code counts.
    private let measure: String?
    /// The limit, in seconds for the duration.
    private let limit: Double?
    /// Whether the limit is the least that passes.
    private let isLeast: Bool
    /// As the user wrote it.
    private let limitText: String?

    /// Reads the options.
    public init(measure: String?, limit: String?) throws(BisectionError) {
        self.measure = measure
        limitText = limit
        guard let measure else {
            guard limit == nil else {
                throw BisectionError(
                    .usage, "--limit is of a measure; add --measure duration, or an expression")
            }
            (self.limit, isLeast) = (nil, false)
            return
        }
        let isDuration = measure == "duration"
        guard let limit else {
            throw BisectionError(
                .usage,
                "--measure needs a limit; add one such as --limit "
                    + (isDuration ? "'10 s'" : "100, or --limit 'at least 100'"))
        }
        isLeast = limit.hasPrefix("at least ")
        let words = ["at least ", "at most "].first { limit.hasPrefix($0) }
        let text = String(limit.dropFirst(words?.count ?? 0))
        if isDuration {
            do {
                self.limit = try Duration(parsing: text) / .seconds(1)
            } catch {
                throw BisectionError(.usage, "--limit: \(error)")
            }
            return
        }
        guard let number = Double(text), number.isFinite else {
            throw BisectionError(
                .usage, "--limit \(limit): write a number such as 100, or 'at least 100'")
        }
        self.limit = number
        guard let regex = try? Regex(measure) else {
            throw BisectionError(
                .usage,
                "--measure \(measure): neither duration nor a regular expression; write one such "
                    + "as 'took ([0-9.]+) s'")
        }
        guard "".firstMatch(of: regex).map({ $0.output.count > 1 }) ?? measure.contains("(") else {
            throw BisectionError(
                .usage,
                "--measure \(measure): put the number in parentheses, as in 'took ([0-9.]+) s'")
        }
    }

    /// Whether the output of the command is needed.
    var needsOutput: Bool { measure != nil && measure != "duration" }

    /// What a run shows.
    struct Finding: Sendable, Hashable {
        let passed: Bool
        /// The number; nil if there is none.
        let measured: Double?
    }

    /// Judges a run. One that fails, fails whatever its measure is, and so does one that prints no
    /// number. Of several numbers the last counts: progress comes before results.
    func judge(exitCode: Int32, isTimedOut: Bool, seconds: Double, output: String) -> Finding {
        let hasPassed = exitCode == 0 && !isTimedOut
        guard let measure, let limit else { return Finding(passed: hasPassed, measured: nil) }
        let number =
            measure == "duration"
            ? seconds
            : (try? Regex(measure)).flatMap { regex in
                output.matches(of: regex).last.flatMap { match in
                    match.output.count > 1 ? match.output[1].substring.flatMap { Double($0) } : nil
                }
            }
        let isWithin = number.map { isLeast ? $0 >= limit : $0 <= limit } ?? false
        return Finding(passed: hasPassed && isWithin, measured: number)
    }

    /// When a run passes, in words.
    var explanation: String {
        guard let measure, let limitText else { return "a run passes if the command ends with 0" }
        let side = isLeast || limitText.hasPrefix("at most ") ? "" : "at most "
        let what = measure == "duration" ? "it takes" : "the last number of \(measure) is"
        return "a run passes if the command ends with 0 and \(what) \(side)\(limitText)"
    }
}
