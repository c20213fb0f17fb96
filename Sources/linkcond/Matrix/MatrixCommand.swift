import ArgumentParser
import FoundationEssentials
import LinkModel
import LinuxKernel
import Matrix
import Recording
import SandboxRuns

/// `linkcond matrix -- COMMAND`
struct MatrixCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matrix",
        abstract: "Runs a command once per profile or scenario and writes reports.",
        usage: """
            linkcond matrix [<options>] -- <command> ...
            linkcond matrix <subcommand> ...
            """,
        discussion: HelpScreen.discussion(
            """
            The command runs once per profile in a sandbox like that of linkcond run, several in \
            parallel, and once without conditions as the baseline. A cell passes if the command \
            exits with 0, or as linkcond.yaml expects. Options of linkcond run such as --set, \
            --server, --uplink and --loopback hold for each cell.
            """, reference: reference, examples: examples, moreExamples: moreExamples),
        subcommands: [
            MatrixMergeCommand.self, MatrixCompareCommand.self, MatrixHistoryCommand.self,
        ])

    @OptionGroup(title: "What to run") var choice: MatrixOptions

    @OptionGroup(title: "The network of each cell", visibility: HelpScreen.rare)
    var network: CellNetworkOptions

    @OptionGroup(title: "How to run it") var manner: MatrixMannerOptions

    @OptionGroup(title: "Several machines") var machines: MatrixMachineOptions

    @OptionGroup var global: GlobalOptions

    @Argument(
        parsing: .postTerminator, help: "The command and its arguments, after --.")
    var command: [String] = []

    func run() throws {
        let console = global.console
        let words = MatrixWords(LinuxKernel.Process.arguments)
        var place = try MatrixPlace(
            report: manner.report, resume: manner.resume, queue: machines.queue)
        var wanted = try MatrixRequest(said(typedCommand: words.command), at: place)
        if place == .nowhere, let path = wanted.report { place = .report(path) }
        if let earlier = choice.rerunFailed { try place.expectNot(earlier) }
        guard !wanted.cells.isEmpty else {
            console.report("There is nothing to run.")
            return
        }
        if let engine = machines.plan {
            if manner.resume != nil {
                throw MatrixError(
                    .usage, "--plan prints the work of a new matrix; leave out --resume")
            }
            try console.print(
                try wanted.plan(
                    for: engine, shards: machines.shards, image: machines.image, words: words))
            return
        }
        let environment = ProcessInfo.processInfo.environment
        let (shard, cells) = try wanted.share(
            machines.shard, environment: environment, note: console.note)
        guard !cells.isEmpty else {
            console.report("There is nothing to run.")
            return
        }
        let user = InvokingUser.behindSudo(environment: environment)
        let launcher = try SandboxCells(
            command: wanted.command, specification: wanted.specification, user: user)
        if let loss = place.loss { console.note(loss) }
        let jobs = manner.jobs ?? wanted.jobs
        let store = try place.open(
            MatrixRecord(
                command: wanted.command, specification: wanted.specification,
                planned: wanted.cells, own: cells, shard: shard, jobs: jobs,
                collecting: manner.collect, lease: place.isQueue ? machines.lease : nil),
            owner: user?.identity)
        let pattern = manner.collect ?? store?.record.pattern
        let view = MatrixView(console)
        // Failed tests count without a report as well.
        let scratch =
            try store == nil
            ? ScratchDirectory(prefix: "linkcond-matrix-", owner: user?.identity) : nil
        defer { scratch?.remove() }
        let outputs = try (scratch?.url.path).map { path throws(MatrixError) in
            try ReportDirectory(scratch: path, owner: user?.identity)
        }
        var runner = try MatrixRunner(
            command: wanted.command, specification: wanted.specification, cells: cells,
            planned: wanted.cells, jobs: jobs, store: store,
            scratch: outputs, collecting: pattern, launcher: launcher, listener: view,
            earlierSeconds: wanted.earlierSeconds, version: "\(ProgramVersion.current)")
        let (report, interruption) = runner.run(shard: shard)
        view.erase()
        if let failure = runner.failure { throw failure }
        try MatrixOutput(
            report: report, directory: runner.reportDirectory, isJSON: manner.json,
            pattern: pattern, store: store
        ).write(console)
        if let interruption { throw ExitCode(128 + interruption) }
        guard report.isSuccess else { throw ExitCode(.failed) }
        throw ExitCode(runner.hasWrittenAll ? .done : .cannotWrite)
    }

    /// The choices from the options.
    private func said(typedCommand: [String]) -> MatrixChoice {
        var said = MatrixChoice()
        said.profiles = choice.profiles
        said.scenarios = choice.scenarios
        said.families = choice.family
        said.file = choice.file
        said.repetitions = choice.repetitions
        said.isWithoutBaseline = choice.noBaseline
        said.rerunFailed = choice.rerunFailed
        said.balanceBy = machines.balanceBy
        said.retries = manner.retries
        said.unfaithfulRetry = manner.retryUnfaithful
        said.isFailFast = manner.failFast
        said.seed = manner.seed
        said.timeout = manner.timeout
        said.command = typedCommand
        said.changeNetwork = network.change
        return said
    }
}
