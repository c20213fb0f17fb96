public import Catalog
import LinkModel
import LinkUnits
public import LinuxKernel
public import Matrix
import ProfileFormat
import Recording
import Sandbox
import Scenarios
import SystemPackage
import UserCatalog

/// Runs the cells of a matrix in sandboxes.
public struct SandboxCells: CellLauncher {
    private let command: [RawText]
    private let network: CellNetwork
    private let uplink: SandboxRequest.Uplink
    private let user: InvokingUser?
    private let links: [String: Link]
    private let scenarios: [String: ScenarioCatalog.Entry]

    private struct Link {
        let profile: Profile
        let conditions: LinkConditions
        /// Changes of what the profile says about the interface.
        let override: InterfaceOverride
    }

    /// Prepares the conditions of all profiles, so that errors appear before anything runs.
    ///
    /// - Parameter entries: Scenarios that are not in the catalogue, by their names.
    public init(
        command: [String], specification: MatrixSpecification, user: InvokingUser?,
        entries: [String: ScenarioCatalog.Entry] = [:]
    ) throws {
        self.command = command.map { RawText($0) }
        network = specification.network
        self.user = user
        uplink = try Self.choice(network.uplink, "uplink")
        var links: [String: Link] = [:]
        for name in Set(specification.profiles + [MatrixSpecification.baseline]) {
            let profile = try UserCatalog.profiles.entry(named: name).profile
            // With changed settings, the baseline would no longer be without conditions.
            let isBaseline = name == MatrixSpecification.baseline && specification.hasBaseline
            let settings = isBaseline ? [] : network.settings
            links[name] = Link(
                profile: profile,
                conditions: try profile.conditions(changedBy: settings),
                override: network.override(of: name))
            for variant in specification.variants(of: name) {
                links[variant.name] = Link(
                    profile: profile,
                    conditions: try profile.conditions(changedBy: settings + variant.settings),
                    override: network.override(of: name))
            }
        }
        self.links = links
        scenarios = Dictionary(
            try (specification.scenarios ?? []).map {
                ($0.name, try entries[$0.name] ?? UserCatalog.scenarios.entry(named: $0.source))
            }
        ) { first, _ in first }
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String, _ name: String
    ) throws(UsageError) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError(description: "\(name): \"\(text)\" is not one of \(all)")
        }
        return choice
    }

    /// The conditions of a cell, for people.
    public func conditions(of cell: Cell) -> ConditionSummary {
        let first = cell.scenario.flatMap { scenarios[$0.name]?.scenario.interfaces.first }
        let conditions =
            (first?.profile.conditions ?? links[cell.profile]?.conditions ?? LinkConditions())
            .withExplicitLoss
        return ConditionSummary(
            down: ProfileWriter.line(of: conditions.down),
            up: ProfileWriter.line(of: conditions.up))
    }

    /// How long a megabyte and twenty round trips take.
    public func expectedSeconds(of cell: Cell) -> Double {
        guard let conditions = links[cell.profile]?.conditions else { return 0 }
        let transfer = conditions.down.bandwidth.map { 8e6 / Double($0.bitsPerSecond) } ?? 0
        return transfer + conditions.roundTripTime / .seconds(1) * 20
    }

    /// Starts a process that runs an attempt.
    public func start(_ attempt: CellAttempt) throws -> CellProcess {
        try Self.start(try request(for: attempt))
    }

    /// Starts a process that makes a run.
    static func start(_ request: SandboxRequest) throws -> CellProcess {
        let output = try PipeEnds()
        let outcome = try PipeEnds()
        let process = try LinuxKernel.Process.fork {
            LinuxKernel.Process.dieWithParent()
            LinuxKernel.Process.startSession()
            StandardStreams.redirect(to: output.writer)
            run(request, reportingTo: outcome.writer)
        }
        try output.writer.close()
        try outcome.writer.close()
        return CellProcess(process: process, output: output.reader, outcome: outcome.reader)
    }

    /// A scenario, or one interface with a profile.
    private func plainRequest(for cell: Cell) throws -> SandboxRequest {
        if let scenario = cell.scenario, let entry = scenarios[scenario.name] {
            return try SandboxRequest(entry, command: command)
        }
        guard let link = links[cell.profile] else {
            throw UsageError(description: "\(cell.profile): no such profile")
        }
        return SandboxRequest(
            conditions: link.conditions, profile: link.profile.id,
            mark: link.override.mark(link.profile), command: command)
    }

    private func request(for attempt: CellAttempt) throws -> SandboxRequest {
        var request = try plainRequest(for: attempt.cell)
        request.servers = network.servers.map { .shell($0) }
        request.serverPorts = network.serverPorts
        if let stop = try network.serverStop.map(Duration.init(parsing:)) {
            request.serverStop = stop
        }
        request.drain = try network.drain.map(Duration.init(parsing:))
        if let limit = try network.faithful.map(Duration.init(parsing:)) {
            request.tolerance = .within(limit)
        }
        request.uplink = uplink
        request.backend = network.backend
        request.conditionsLoopback = network.conditionsLoopback
        request.seed = attempt.seed
        request.timeout = attempt.cell.timeLimit
        request.recording.wantsStatistics = true
        request.recording.wantsSamples = true
        request.recording.wantsProcessorUse = true
        request.identity = user?.identity
        request.recording.wantsConstrainedUse =
            attempt.cell.expectations.requests == .noneWhileConstrained
        let isOverridden = links[attempt.cell.profile].map { $0.override != InterfaceOverride() }
        if isOverridden == true || request.saysMoreThanKinds {
            // If the host does not support it, programs that ask D-Bus see the host's network.
            request.bus = try? SandboxBus(hasPortal: false, isRequired: false)
        }
        request.variables = user?.variables ?? [:]
        request.describeNetwork()
        request.variables.merge(attempt.variables) { $1 }
        return request
    }

    /// The work of a cell's process: a run and its report.
    private static func run(
        _ request: SandboxRequest, reportingTo report: FileDescriptor
    ) -> Never {
        let notes = NoteCollector()
        var outcome = CellOutcome()
        do {
            let end = try Sandbox.run(request, listener: notes)
            outcome.exitCode = end.exitCode
            outcome.isTimedOut = end.isTimedOut
            outcome.statistics = end.statistics
        } catch {
            outcome.problem = error.description
            outcome.problemStatus = error.status.rawValue
        }
        outcome.notes = notes.notes
        KernelThread.outliveBrokenPipes()
        if let json = try? outcome.json() { _ = try? report.writeAll(json.utf8) }
        LinuxKernel.Process.exitAtOnce(0)
    }

    /// Collects the messages of a run.
    private final class NoteCollector: Sandbox.Listener {
        private(set) var notes: [String] = []

        func note(_ text: String) { notes.append(text) }
        func explain(_ text: String) {}
        func fail(_ text: String) { notes.append(text) }
    }
}
