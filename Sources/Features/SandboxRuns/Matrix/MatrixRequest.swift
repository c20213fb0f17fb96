import Catalog
import FoundationEssentials
import LinkModel
import LinuxKernel
public import Matrix
import ProfileFormat
import Sandbox
import UserCatalog

/// A request for a matrix: the options on top of the file or an earlier report.
public struct MatrixRequest {
    /// The command.
    public private(set) var command: [String] = []
    /// The cells to run.
    public private(set) var specification: MatrixSpecification
    /// How many cells run at once; nil: unset.
    public private(set) var jobs: Int?
    /// The directory for the reports; nil: unset.
    public private(set) var report: String?
    /// How long cells took in an earlier report, by profile.
    public private(set) var earlierSeconds: [String: Double] = [:]
    /// All cells to run, on this machine or others.
    public private(set) var cells: [Cell]
    /// Whether nobody chose the seed.
    private var hasRandomSeed = false

    /// The matrix that goes on; nil: a new one.
    private let begun: MatrixRecord?
    /// Whether several workers share the cells.
    private let isQueue: Bool

    /// Combines the choices with the file or an earlier report.
    ///
    /// - Parameter place: Where a matrix may have begun that goes on.
    public init(_ choice: MatrixChoice, at place: MatrixPlace = .nowhere) throws {
        begun = try place.begun()
        isQueue = place.isQueue
        if let begun, choice.namesNothing {
            command = begun.command
            specification = begun.specification
            cells = []
            change(by: choice)
        } else if let path = choice.rerunFailed {
            guard choice.profiles.isEmpty, choice.families.isEmpty, choice.scenarios.isEmpty,
                choice.repetitions == nil
            else {
                throw UsageError(
                    description: "--rerun-failed takes the cells from the report; leave out "
                        + "--profiles, --family, --scenarios and --repeat")
            }
            let report = try ReportDirectory.report(at: path)
            command = report.command
            specification = report.specification
            cells = []
            change(by: choice)
            try expectSoundness()
            cells = Self.failed(in: report, specification)
            earlierSeconds = report.secondsByProfile
        } else {
            let chosen = try Self.profiles(choice)
            let chosenScenarios = try MatrixScenarios.named(choice.scenarios)
            // Options that say what to run replace all that the file says about it.
            let isChosen = chosen != nil || chosenScenarios != nil
            let file = try Self.file(choice.file, chosen: isChosen ? chosen ?? [] : nil)
            if file == nil, choice.namesNothing, let path = place.begunPath {
                throw MatrixError(
                    .cannotRead,
                    "\(path): no matrix has begun there; say what to run, as in: linkcond matrix "
                        + "--\(isQueue ? "queue" : "resume") \(path) --profiles LTE,3G -- npm test")
            }
            let profiles = isChosen ? chosen : file?.profiles
            specification = MatrixSpecification(
                profiles: profiles ?? [],
                seed: file?.seed ?? UInt64(UInt32.random(in: .min ... .max)))
            specification.scenarios = isChosen ? chosenScenarios : file?.scenarios
            cells = []
            hasRandomSeed = file?.seed == nil && choice.seed == nil
            if let begun, hasRandomSeed { specification.seed = begun.specification.seed }
            if let file { try take(file) }
            change(by: choice)
            guard profiles != nil || specification.scenarios != nil,
                !specification.profiles.isEmpty || specification.hasBaseline
                    || specification.scenarios != nil
            else {
                throw UsageError(
                    description: "there is no profile; name some with --profiles LTE,3G, or in "
                        + MatrixFile.standardName)
            }
            try expectSoundness()
            cells = specification.cells
        }
        if let path = choice.balanceBy {
            earlierSeconds = try ReportDirectory.report(at: path).secondsByProfile
        }
        if !choice.command.isEmpty { command = choice.command }
        guard !command.isEmpty else {
            throw UsageError(
                description: "there is no command; write it behind --, as in: linkcond matrix "
                    + "--profiles LTE,3G -- npm test")
        }
        try expectWhatIsNeeded()
        if let begun, let path = place.begunPath {
            try begun.expectSame(command: command, specification, at: path)
            cells = begun.plannedCells
            if !isQueue { jobs = jobs ?? begun.jobs }
        }
    }

    /// The cells for this machine, and which part of the matrix they are.
    ///
    /// Several machines need the same seed: if nobody chose it, it derives from the request.
    ///
    /// - Parameter shard: The requested part; nil: the one that a CI engine sets in `environment`,
    ///   which `note` reports.
    public mutating func share(
        _ shard: Shard?, environment: [String: String], note: (String) -> Void
    ) throws -> (shard: Shard?, cells: [Cell]) {
        if isQueue, shard != nil {
            throw UsageError(
                description: "--queue shares the cells as workers have time; leave out --shard")
        }
        if let begun {
            if let shard, shard != begun.shard ?? Shard(index: 1, count: 1) {
                throw UsageError(
                    description: "--shard \(shard): the matrix that has begun is "
                        + "\(begun.shard.map { "part \($0)" } ?? "the whole"); leave --shard out")
            }
            if let change = begun.change { note(change) }
            return (begun.shard, begun.ownCells)
        }
        if isQueue {
            shareSeed()
            return (nil, cells)
        }
        var shard = shard
        if shard == nil, let detected = try Shard.detected(in: environment),
            detected.shard.count > 1
        {
            shard = detected.shard
            note(
                "part \(detected.shard) of the matrix, as \(detected.variable) says; --shard 1/1 is "
                    + "all of it")
        }
        guard let shard, shard.count > 1 else { return (nil, cells) }
        shareSeed()
        let sharding = Sharding(cells, into: shard.count, earlierSeconds: earlierSeconds)
        return (shard, sharding.parts[shard.index - 1])
    }

    private mutating func shareSeed() {
        guard hasRandomSeed else { return }
        specification.seed = specification.sharedSeed(of: command)
        cells = specification.cells
    }

    /// The plan of the matrix for a CI engine.
    ///
    /// - Parameters:
    ///   - shards: The number of parts; nil: one for each cell, or a few workers of a queue.
    ///   - words: The options and the command as typed.
    public func plan(
        for engine: PlanEngine, shards: Int?, image: String, words: MatrixWords
    ) throws -> String {
        guard engine != .kubernetes || !words.lasting.contains(where: Self.isBalanceOption) else {
            throw UsageError(
                description: "--balance-by: the pods of --plan kubernetes do not have the earlier "
                    + "report, and would share the cells differently; leave it out")
        }
        if let problem = words.queue.flatMap(engine.problem(ofQueue:)) {
            throw UsageError(description: "--queue: \(problem)")
        }
        // Parts without cells would be jobs without anything to do.
        let most = max(1, cells.count { !$0.isBaseline })
        let count = min(shards ?? (words.queue == nil ? most : Self.usualWorkers), most)
        guard count <= Shard.mostParts else {
            throw UsageError(
                description: "\(count) cells are more than the \(Shard.mostParts) parts that a "
                    + "plan may have; divide the matrix with --shards")
        }
        if let most = engine.mostJobs, count > most {
            throw UsageError(
                description: "\(count) jobs are more than the \(most) that \(engine.rawValue) "
                    + "starts; divide the matrix into fewer parts with --shards \(most)")
        }
        let sharding = Sharding(cells, into: count, earlierSeconds: earlierSeconds)
        return try CIPlan(sharding).text(
            for: engine, arguments: words.lasting, command: words.command, image: image,
            queue: words.queue)
    }

    /// The workers of a queue, which all take cells until none is left.
    private static let usualWorkers = 4

    private static func isBalanceOption(_ word: String) -> Bool {
        word == "--balance-by" || word.hasPrefix("--balance-by=")
    }

    // MARK: Sources

    /// - Parameter chosen: The profiles of the options, which replace those of the file.
    private static func file(_ path: String?, chosen: [String]?) throws -> MatrixFile? {
        let name = path ?? MatrixFile.standardName
        guard path != nil || FileManager.default.fileExists(atPath: name) else { return nil }
        let bytes: [UInt8]
        do {
            bytes = try InputFile.read(name, limit: MatrixFile.sizeLimit)
        } catch {
            throw MatrixError(
                error == .tooLarge(limit: MatrixFile.sizeLimit) ? .badFile : .cannotRead,
                "\(name): \(error)")
        }
        return try MatrixFile(
            parsing: String(decoding: bytes, as: UTF8.self), file: name,
            names: CatalogNames(chosen: chosen))
    }

    /// The profiles of the options, without duplicates; nil if they name none.
    private static func profiles(_ choice: MatrixChoice) throws -> [String]? {
        let catalog = UserCatalog.profiles
        var names = choice.profiles.flatMap { $0.split(separator: ",") }.map { name in
            String(name.trimmingPrefix(while: \.isWhitespace))
        }
        for family in choice.families {
            names += try ProfileCatalog.entries(of: family, among: catalog.all().entries)
                .map(\.profile.id)
        }
        var seen: Set<String> = []
        names = try names.filter { seen.insert(try catalog.entry(named: $0).profile.id).inserted }
        guard names.isEmpty else { return names }
        guard choice.profiles.isEmpty else {
            throw UsageError(description: "--profiles names none; write it as LTE,3G")
        }
        return nil
    }

    /// The failed cells with their failing seeds, and the baseline that they are compared with.
    private static func failed(
        in report: MatrixReport, _ specification: MatrixSpecification
    ) -> [Cell] {
        let failed = report.cells.filter { $0.status != .passed }
        let seeds = Dictionary(
            failed.map { ($0.id, $0.seed) }, uniquingKeysWith: { first, _ in first })
        var cells = specification.cells.filter { seeds[$0.id] != nil }
        for index in cells.indices {
            if let seed = seeds[cells[index].id] { cells[index].seed = seed }
        }
        if cells.contains(where: \.expectations.needBaseline) {
            let baseline = specification.cells.filter { $0.isBaseline && seeds[$0.id] == nil }
            cells = baseline + cells
        }
        return cells
    }

    private mutating func take(_ file: MatrixFile) throws {
        command = file.command ?? []
        jobs = file.jobs
        report = file.report
        specification.hasBaseline = file.hasBaseline ?? true
        specification.repetitions = file.repetitions ?? 1
        specification.retries = file.retries ?? 0
        specification.unfaithfulRetry = file.unfaithfulRetry
        specification.isFailFast = file.isFailFast ?? false
        specification.environment = file.environment
        specification.trustsExitCode = file.trustsExitCode
        specification.network = file.network
        // If the options name other profiles, the file's settings for them may use any of their
        // names.
        let names = try Self.namesByID(specification.profiles)
        let catalog = UserCatalog.profiles
        let scenarios = (specification.scenarios ?? []).map(\.name)
        func known<Value>(_ values: [String: Value]) -> [String: Value] {
            var known: [String: Value] = [:]
            for (name, value) in values {
                if scenarios.contains(name) {
                    known[name] = value
                } else if let entry = try? catalog.entry(named: name),
                    let name = names[entry.profile.id]
                {
                    known[name] = value
                }
            }
            return known
        }
        specification.expectations = known(file.expectations)
        if let usual = file.defaultExpectations {
            for name in specification.profiles + scenarios {
                var expectations = specification.expectations[name]?.filled(from: usual) ?? usual
                // A scenario has no fields to change.
                if scenarios.contains(name) { expectations.survives = nil }
                specification.expectations[name] = expectations
            }
        }
        specification.network.overrides = known(file.network.overrides)
        specification.timeLimits = TimeLimits(file.timeLimit, byProfile: known(file.timeLimits))
    }

    private static func namesByID(_ profiles: [String]) throws -> [String: String] {
        var names: [String: String] = [:]
        for name in profiles + [MatrixSpecification.baseline] {
            names[try UserCatalog.profiles.entry(named: name).profile.id] = name
        }
        return names
    }

    private mutating func change(by choice: MatrixChoice) {
        if let repetitions = choice.repetitions { specification.repetitions = repetitions }
        if choice.isWithoutBaseline { specification.hasBaseline = false }
        let baseline = MatrixSpecification.baseline
        if specification.profiles.contains(where: { NameMatching.normalized($0) == baseline }) {
            specification.profiles.removeAll { NameMatching.normalized($0) == baseline }
            specification.hasBaseline = true
        }
        if let retries = choice.retries { specification.retries = retries }
        if let retry = choice.unfaithfulRetry { specification.unfaithfulRetry = retry }
        if choice.isFailFast { specification.isFailFast = true }
        if let seed = choice.seed { specification.seed = seed }
        if let timeout = choice.timeout { specification.timeLimits = TimeLimits(timeout) }
        choice.changeNetwork(&specification.network)
    }

    /// Checks that the matrix is valid and not too large.
    private func expectSoundness() throws(UsageError) {
        if let problem = specification.problem { throw UsageError(description: problem) }
    }

    /// Checks that everything needed to judge the expectations is present.
    private func expectWhatIsNeeded() throws(UsageError) {
        if let problem = ServerPort.problem(
            of: specification.network.serverPorts, servers: specification.network.servers)
        {
            throw UsageError(description: problem)
        }
        if specification.network.backend == .kernel {
            guard specification.network.faithful == nil else {
                throw UsageError(
                    description: "only the packet engine knows how late packets are; leave out "
                        + "--faithful or the backend")
            }
            for (profile, expectations) in specification.expectations
            where expectations.requests != nil {
                throw UsageError(
                    description: "\(profile): only the packet engine counts requests; leave out "
                        + "the backend")
            }
        }
        guard !specification.hasBaseline else { return }
        for (profile, expectations) in specification.expectations where expectations.needBaseline {
            throw UsageError(
                description: "\(profile) is to be compared with the baseline, which is left out; "
                    + "leave out --no-baseline")
        }
    }
}
