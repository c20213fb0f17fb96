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
        discussion: """
            The command runs once per profile in a sandbox like that of linkcond run, several in \
            parallel, and once without conditions as the baseline. A cell passes if the command \
            exits with 0, or as linkcond.yaml expects.

            linkcond.yaml in the working directory can define what to run; the options here \
            override it. The command finds the name of its cell in LINKCOND_CELL, the name of the \
            profile in LINKCOND_PROFILE, and with --report its own directory for files such as \
            test results in LINKCOND_OUTPUT.

            --report DIR writes report.html for people, report.json for programs, junit.xml, \
            summary.md and the logs. The reports include JUnit files that cells write to \
            LINKCOND_OUTPUT. A cell whose tests failed has failed, even if its command ended with 0.
            DIR has each result as soon as its cell has finished: --resume DIR goes on with a matrix \
            that was killed. The same options and command may follow; others are refused.

            The exit code is 0 if all cells passed, 1 if not, 73 if a file could not be written, \
            128 plus the signal number if a signal ended the matrix. The report is always written.

            --queue DIR shares the cells among all machines that run the same command line, in a \
            directory that they share. A worker takes the next cell, the longest first; the cells \
            of one that died are taken again. The last one writes the reports. Others may join with \
            --queue DIR alone.

            Examples:
              linkcond matrix --profiles LTE,3G,Edge,high-loss -- npm test
              linkcond matrix --profiles LTE,3G --repeat 5 --report report -- pytest
              linkcond matrix --scenarios commute,./scenarios -- npm test
              linkcond matrix --rerun-failed report
              linkcond matrix --resume report
              linkcond matrix --plan github
              linkcond matrix --profiles LTE,3G --queue /shared/report -- npm test
              linkcond matrix merge --report all report-1 report-2
              linkcond matrix compare before-report report
              linkcond matrix history reports/*
            """,
        subcommands: [
            MatrixMergeCommand.self, MatrixCompareCommand.self, MatrixHistoryCommand.self,
        ])

    @OptionGroup(title: "What to run") var choice: MatrixOptions

    @OptionGroup(title: "The network of each cell") var network: CellNetworkOptions

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
        if let engine = machines.plan {
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
        var runner = try MatrixRunner(
            command: wanted.command, specification: wanted.specification, cells: cells,
            planned: wanted.cells, jobs: jobs, store: store,
            collecting: pattern, launcher: launcher, listener: view,
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
