public import Bisection
import Catalog
import LinkModel
import LinkUnits
public import LinuxKernel
public import Matrix
import ProfileFormat
import Scenarios
import UserCatalog

/// Runs the command of a search in sandboxes: each run is a cell of a matrix with a single one.
public struct SandboxTrials: TrialLauncher {
    private let request: BisectionRequest
    private let quantity: VariedQuantity
    private let user: InvokingUser?

    /// Prepares, so that ends that the profile or the scenario does not allow fail before anything
    /// runs.
    public init(
        _ request: BisectionRequest, _ quantity: VariedQuantity, user: InvokingUser?
    ) throws {
        self.request = request
        self.quantity = quantity
        self.user = user
        for (option, value) in [("--from", request.from), ("--to", request.to)] {
            do {
                _ = try cells(at: value)
            } catch let error as UsageError {
                let text = error.description
                // It is wrong whatever the value is.
                guard !text.hasPrefix("--vary") else { throw error }
                let rest = text.hasPrefix("--set: ") ? String(text.dropFirst(7)) : text
                throw UsageError(description: "\(option) \(value): \(rest)")
            }
        }
    }

    /// Starts a run.
    public func start(_ trial: Trial) throws -> CellProcess {
        let (cells, _, cell) = try cells(at: trial.value)
        let seed = request.network.backend == .kernel ? nil : trial.seed
        return try cells.start(CellAttempt(cell: cell, seed: seed, variables: trial.variables))
    }

    /// The command line of `linkcond run` that repeats a run; nil for a scenario of this search
    /// alone.
    public func reproduction(of value: String, seed: UInt64?) -> [String]? {
        guard case .fields = quantity.subject,
            let (_, specification, cell) = try? cells(at: value)
        else { return nil }
        return specification.reproduction(of: cell, seed: seed, request.command)
    }

    private func cells(
        at value: String
    ) throws -> (SandboxCells, MatrixSpecification, Cell) {
        var specification = MatrixSpecification(
            profiles: request.profile.map { [$0] } ?? [], seed: request.seed)
        specification.hasBaseline = false
        specification.network = request.network
        specification.timeLimits = TimeLimits(
            request.timeLimitSeconds.map(Duration.seconds(saturating:)))
        var entries: [String: ScenarioCatalog.Entry] = [:]
        switch quantity.subject {
        case .fields(let paths):
            specification.network.settings += try paths.map { "\($0)=\(try text(of: value, $0))" }
        case .outage:
            entries["outage"] = try outage(of: value)
        case .event(let number):
            entries["scenario"] = try scenario(withEvent: number, at: value)
        }
        if let (name, _) = entries.first {
            specification.profiles = []
            specification.scenarios = [MatrixScenario(name: name, source: name)]
        }
        let cells = try SandboxCells(
            command: request.command, specification: specification, user: user, entries: entries)
        guard let cell = specification.cells.first else {
            throw UsageError(
                description: "there is no profile; name one, as in: linkcond bisect LTE")
        }
        return (cells, specification, cell)
    }

    /// The value of a field; a loss in bursts stays one.
    private func text(of value: String, _ path: String) throws -> String {
        guard path.hasSuffix(".loss"), let name = request.profile else { return value }
        let conditions = try UserCatalog.profiles.entry(named: name).profile
            .conditions(changedBy: request.network.settings)
        let direction = path.hasPrefix("down.") ? conditions.down : conditions.up
        guard case .bursts(_, let burst) = direction.loss else { return value }
        return "{ mean: \(value), burst: \(LossModel.text(ofBurst: burst)) }"
    }

    private func outage(of length: String) throws -> ScenarioCatalog.Entry {
        guard let name = request.profile else {
            throw UsageError(description: "an outage needs a profile; name one, such as LTE")
        }
        var profile = try UserCatalog.profiles.entry(named: name).profile
        profile.conditions = try profile.conditions(changedBy: request.network.settings)
        let time = try Duration(parsing: length)
        let change = ConditionsChange(
            settings: [ConditionSetting(path: "blackhole", value: "true")],
            values: LinkConditions(isBlackhole: true))
        let entry = ScenarioEntry(
            schedule: .once(
                at: .seconds(saturating: request.outageAtSeconds ?? 0), spread: .zero),
            actions: [.change(interface: "eth0", change, over: .zero)], length: time)
        let scenario = Scenario(
            name: "outage", interfaces: [ScenarioInterface(name: "eth0", profile: profile)],
            entries: time > .zero ? [entry] : [])
        return ScenarioCatalog.Entry(scenario: scenario, file: nil, text: "")
    }

    private func scenario(withEvent number: Int, at time: String) throws -> ScenarioCatalog.Entry {
        guard let source = request.scenario else {
            throw UsageError(
                description: "--vary \(quantity.name) needs a scenario; name one with --scenario")
        }
        let entry = try UserCatalog.scenarios.entry(named: source)
        var scenario = entry.scenario
        guard scenario.entries.indices.contains(number - 1) else {
            throw UsageError(
                description: "--vary \(quantity.name): \(source) has \(scenario.entries.count) "
                    + "events; name one of them by its number")
        }
        let time = try Duration(parsing: time)
        switch scenario.entries[number - 1].schedule {
        case .once(_, let spread):
            scenario.entries[number - 1].schedule = .once(at: time, spread: spread)
        case .every(let period, _, let until):
            scenario.entries[number - 1].schedule = .every(period, from: time, until: until)
        case .atEnd:
            throw UsageError(
                description: "--vary \(quantity.name): this event is at the end of the run, and "
                    + "has no time; name another")
        }
        if let problem = scenario.problem {
            throw UsageError(description: "\(problem)")
        }
        return ScenarioCatalog.Entry(scenario: scenario, file: entry.file, text: "")
    }
}
