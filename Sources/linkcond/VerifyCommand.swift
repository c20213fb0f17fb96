import ArgumentParser
import Catalog
import DataPlane
import HostConditioning
import LinkModel
import LinkUnits
import Sandbox
import UserCatalog
import Verification

/// `linkcond verify PROFILE...`
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Measures whether a link matches its profile.",
        discussion: """
            It sets up each profile in its own sandbox, separate from the host's network and \
            without root, and sends real packets in both directions. It measures delay and jitter \
            on an idle link (IPv4 and IPv6); loss, loss bursts, reordering, duplicates and \
            corruption below the bandwidth; bandwidth and queue above it; TCP if it can use the \
            whole bandwidth; and DNS.

            A check passes if the measured value is within the tolerance, which covers chance for \
            this number of packets and the error of the instrument on a busy machine. Longer runs \
            send more packets and have tighter tolerances. A correct link fails one check in \
            100,000 by chance. If the probes or the packet engine notice that this machine is too \
            slow or too busy for a check, it is not judged, and its line says so. A check whose \
            tolerance exceeds half of the expected value is called weak.

            Without profiles, inside a run or with --pid of a process there, it shows the run's \
            links and whether they have kept to their profile so far.

            The exit code is 1 if a check fails, and 69 if this host does not support the link.

            Examples:
              linkcond verify LTE
              linkcond verify LTE 3G Edge --quick
              linkcond verify --all --jobs 8 --json
            """)

    @Argument(
        help: "Names of profiles or paths of their files.", completion: .profiles)
    var profiles: [String] = []

    @Flag(help: "Verify every profile that linkcond list shows.")
    var all = false

    @Flag(help: "Take a few seconds for each profile, with wider tolerances.")
    var quick = false

    @Flag(help: "Take some minutes for each profile, with tighter tolerances.")
    var thorough = false

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Change a field of all profiles, such as down.loss=2%; may be given several times.",
            valueName: "field=value"),
        completion: .settings)
    var settings: [String] = []

    @Option(help: "The data plane that applies the conditions.")
    var backend = Backend.auto

    @Option(help: "The random seed: the same seed loses the same packets.")
    var seed: UInt64?

    @OptionGroup(visibility: HelpScreen.rare) var faithful: ToleranceOptions

    @Option(
        help: """
            How many profiles are measured at once. Fast links are always measured alone.
            """)
    var jobs = 1

    @Flag(
        help: """
            Print JSON, as Profiles/schema/verify.schema.json describes it; of a run, as \
            status.schema.json.
            """)
    var json = false

    @OptionGroup(title: "Whose run") var target: TargetOptions

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if quick && thorough {
            throw ValidationError("--quick and --thorough contradict each other; leave one out.")
        }
        if all && !profiles.isEmpty {
            throw ValidationError("--all and names contradict each other; leave one out.")
        }
        if target.isGiven, all || !profiles.isEmpty {
            throw ValidationError("--pid and the like show a run as it is; leave profiles out.")
        }
        guard (1...64).contains(jobs) else {
            throw ValidationError("--jobs \(jobs) is outside 1 to 64.")
        }
        if backend == .kernel, seed != nil {
            throw ValidationError("The kernel does not take a --seed; use --backend engine.")
        }
        if backend == .kernel, faithful.limit != nil {
            throw ValidationError(
                "--faithful: the kernel does not tell how late packets are; use --backend engine.")
        }
    }

    func run() throws {
        let console = global.console
        try target.enter(console, followsRuns: true)
        let run = RunService.links(isChosen: target.isGiven)
        guard all || !profiles.isEmpty else { return try judge(run, console) }
        if !run.isEmpty {
            console.report("Inside a run, profiles are measured beside it, on links of their own")
        }
        let measurements = try measurements()
        let time = LinkMeasurements.expectedTime(of: measurements, jobs: jobs)
        console.report(
            "Measuring \(measurements.count) profile\(measurements.count == 1 ? "" : "s") takes "
                + "about \(Self.text(of: time))")
        let results = try measure(measurements) { result, done in
            let failed = result.checks.count { $0.verdict == .failed }
            console.report(
                "\(done) of \(measurements.count): \(result.profile): "
                    + (failed == 0 ? "as promised" : "\(failed) outside tolerance"))
            if let flaw = result.flaw { console.note("\(result.profile): \(flaw)") }
        }
        if json {
            let version = "\(ProgramVersion.current)"
            try console.print(JSONText.text(of: VerificationJSON(results, version: version)))
        } else {
            try console.print(VerificationTable.text(results, isStyled: console.isStyled))
        }
        guard results.allSatisfy(\.isAsPromised) else {
            throw ExitCode(ExitStatus.failed.rawValue)
        }
    }

    /// Shows the links of a run, and fails if one of them was not as its profile says.
    private func judge(_ run: [ConditionedInterface], _ console: Console) throws {
        guard !run.isEmpty else {
            throw ValidationError(
                target.isGiven
                    ? "No run's command has this network; name a profile to measure it."
                    : "Name a profile, or give --all; linkcond list shows them.")
        }
        if json {
            try console.print(JSONText.text(of: StatusJSON(run, [])))
        } else {
            let verdicts = run.map { link in
                let unknown = link.isFaithful == nil ? "the kernel tells no lateness" : nil
                let flaw = link.problem ?? unknown
                return "\(link.interface): \(flaw ?? "as promised so far")".printable + "\n"
            }
            try console.print(StatusTable.text(ofRun: run) + verdicts.joined())
        }
        if run.contains(where: { $0.isFaithful == false }) { throw ExitCode(.failed) }
    }

    private func measure(
        _ measurements: [LinkMeasurement], report: (LinkVerification, Int) -> Void
    ) throws -> [LinkVerification] {
        do {
            return try LinkMeasurements.run(
                measurements, jobs: jobs, explain: { global.console.explain("\($0): \($1)") },
                report: report)
        } catch let interruption as LinkMeasurements.Interruption {
            throw ExitCode(128 + interruption.signal)
        }
    }

    /// The measurements to run.
    private func measurements() throws -> [LinkMeasurement] {
        let catalog = UserCatalog.profiles
        let effort: Effort = quick ? .quick : thorough ? .thorough : .normal
        let entries =
            try all ? catalog.all().entries : profiles.map { try catalog.entry(named: $0) }
        return try entries.map { entry in
            var conditions = try entry.profile.conditions(changedBy: settings)
            // It would stop the probes, or change them; the link is what is measured.
            if conditions.middle.take() != nil {
                global.console.note(
                    "\(entry.profile.id): the link is measured, not what stands behind it")
            }
            return LinkMeasurement(
                profile: entry.profile.id, conditions: conditions, effort: effort,
                backend: backend, seed: seed, tolerance: faithful.tolerance)
        }
    }

    private static func text(of time: Duration) -> String {
        let seconds = Int(time.milliseconds / 1000) + 1
        return seconds < 120 ? "\(seconds) s" : "\((seconds + 59) / 60) min"
    }
}
