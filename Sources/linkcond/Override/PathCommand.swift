import ArgumentParser
import LinkModel
import NetworkPath
import Sandbox

/// `linkcond path`
struct PathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Shows the network path as apps see it: status, cost, Low Data Mode.",
        discussion: """
            Traffic uses the interfaces that are marked as used, unless an app binds its sockets \
            to another. The path is expensive or constrained if one of them is.

            Inside a run, or with --pid of a process there, the last lines are about the run.

            The exit code is 1 if there is no path; --watch only prints that.

            Examples:
              linkcond path
              linkcond path --json | jq .isExpensive
              linkcond path --json --watch | while read -r path; do ...; done
            """)

    @Flag(help: "Print JSON, as Profiles/schema/path.schema.json describes it.")
    var json = false

    @Flag(help: "Print again on every change, one line each, until Ctrl-C.")
    var watch = false

    @OptionGroup(title: "Whose interfaces") var target: TargetOptions

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let console = global.console
        try target.enter(console, followsRuns: true)
        guard watch else {
            let path = try NetworkPath.current()
            try console.print(
                json
                    ? JSONText.text(of: PathJSON(path))
                    : PathText.text(of: path, isStyled: console.isStyled)
                        + StatusTable.text(ofRun: RunService.links(isChosen: target.isGiven)))
            if path.status != .satisfied { throw ExitCode(.failed) }
            return
        }
        var last: String?
        try NetworkPath.watch { path in
            let line = json ? try JSONText.line(of: PathJSON(path)) : PathText.summary(of: path)
            // The text for people does not include everything that may change.
            if line != last { try console.print(line) }
            last = line
            return true
        }
    }
}
