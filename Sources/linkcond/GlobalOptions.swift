import ArgumentParser

/// Options that every verb has.
struct GlobalOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Explain each step on standard error.")
    var verbose = false

    @Flag(help: "Print no notes on standard error, only errors.")
    var quiet = false

    func validate() throws {
        guard !(verbose && quiet) else {
            throw ValidationError("--verbose and --quiet contradict each other; leave one out.")
        }
    }

    /// The terminal, configured by these options.
    var console: Console {
        Console(verbosity: verbose ? .explaining : quiet ? .quiet : .normal)
    }
}
