import ArgumentParser
import Evidence
import FoundationEssentials
import LinkModel
import LinuxKernel
import Matrix
import Sandbox

/// `linkcond matrix -- COMMAND`
struct MatrixCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matrix",
        abstract: "Runs a command once per profile or scenario, and reports.",
        discussion: """
            The command runs in a sandbox for each profile, as linkcond run makes it, several of \
            them side by side, and once without conditions for comparison (baseline). A cell \
            passes when the command exits with 0, or as linkcond.yaml expects of it.

            What to run can stand in linkcond.yaml, which is read from the working directory; the \
            options here come before it. The command finds the name of its cell in LINKCOND_CELL, that \
            of the profile in LINKCOND_PROFILE, and with --report in LINKCOND_OUTPUT a directory \
            of its own, for files such as test results.

            --report DIR keeps report.html for people, report.json for programs, junit.xml, \
            summary.md and the logs. Of what cells left in LINKCOND_OUTPUT, the JUnit files become \
            part of the reports.

            The exit code is 0 if all cells passed, 1 if not, 73 if a file could not be written, \
            128 and the number of the signal if one ended the matrix; the report is written in \
            every case.

            Examples:
              linkcond matrix --profiles LTE,3G,Edge,high-loss -- npm test
              linkcond matrix --profiles LTE,3G --repeat 5 --report report -- pytest
              linkcond matrix --scenarios commute,./scenarios -- npm test
              linkcond matrix --rerun-failed report
              linkcond matrix --plan github
              linkcond matrix merge --report all report-1 report-2
            """,
        subcommands: [MatrixMergeCommand.self])

    @OptionGroup(title: "What to run") var choice: MatrixOptions

    @OptionGroup(title: "The network of each cell") var network: CellNetworkOptions

    @OptionGroup(title: "How to run it") var manner: MatrixMannerOptions

    @OptionGroup(title: "Several machines") var machines: MatrixMachineOptions

    @OptionGroup var global: GlobalOptions

    @Argument(
        parsing: .postTerminator, help: "The command and its arguments, behind two hyphens.")
    var command: [String] = []

    func run() throws {
        let console = global.console
        let words = MatrixWords(LinuxKernel.Process.arguments)
        let wanted = try MatrixRequest(self, typedCommand: words.command)
        if let engine = machines.plan {
            try console.print(
                try wanted.plan(
                    for: engine, machines, words: words.lasting, typedCommand: words.command))
            return
        }
        let (shard, cells) = try wanted.share(of: machines, console)
        guard !cells.isEmpty else {
            console.report("There is nothing to run.")
            return
        }
        let user = InvokingUser.behindSudo(environment: ProcessInfo.processInfo.environment)
        let launcher = try SandboxCells(
            command: wanted.command, specification: wanted.specification, user: user)
        let owner = user.map {
            OutputFile.Owner(user: $0.identity.user, group: $0.identity.group)
        }
        let directory = try manner.report.map { path throws(MatrixError) in
            try ReportDirectory(creating: path, owner: owner)
        }
        let view = MatrixView(console)
        var runner = try MatrixRunner(
            command: wanted.command, specification: wanted.specification, cells: cells,
            jobs: manner.jobs ?? wanted.jobs, directory: directory, launcher: launcher,
            listener: view, earlierSeconds: wanted.earlierSeconds)
        let (report, interruption) = runner.run(shard: shard)
        view.erase()
        try MatrixOutput(
            report: report, directory: directory, isJSON: manner.json, pattern: manner.collect
        ).write(console)
        if let interruption { throw ExitCode(128 + interruption) }
        guard report.isSuccess else { throw ExitCode(ExitStatus.failed.rawValue) }
        let status: ExitStatus = runner.hasWholeLogs ? .done : .cannotWrite
        throw ExitCode(status.rawValue)
    }
}

/// What was typed: the command, and the options that every part of a matrix has.
struct MatrixWords {
    /// The words of the command, of which the parser sees only the first.
    let command: [String]
    /// The options before it that are not about the plan, nor about this machine.
    let lasting: [String]

    private static let passing: Set = ["--plan", "--shards", "--shard", "--image", "--report"]

    init(_ words: [String]) {
        let hyphens = words.firstIndex(of: "--")
        command = hyphens.map { Array(words[($0 + 1)...]) } ?? []
        let options = words[..<(hyphens ?? words.endIndex)]
        let verb = options.firstIndex(of: "matrix").map { $0 + 1 } ?? options.endIndex
        var lasting: [String] = []
        var skips = false
        for word in options[verb...] {
            let name = word.split(separator: "=", maxSplits: 1).first.map(String.init) ?? word
            if skips {
                skips = false
            } else if Self.passing.contains(name) {
                skips = name == word
            } else if word != "--json" {
                lasting.append(word)
            }
        }
        self.lasting = lasting
    }
}
