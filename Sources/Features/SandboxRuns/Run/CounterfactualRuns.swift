public import Explanation
import FoundationEssentials
import LinkModel
import LinkUnits
import Matrix
import Recording
public import Sandbox

/// Runs a command again with one component of its network taken away, to check what an explanation
/// predicts.
///
/// Each run is like the first, with the same seed, but reads nothing, and what it prints goes
/// nowhere. One for which the machine was too busy is repeated, a few times, after pauses. The
/// first of them is unchanged, and explained as well: predictions are from the one of both that the
/// machine disturbed less. A signal ends them all.
public struct CounterfactualRuns {
    private let request: SandboxRequest
    private let explanation: Explanation
    private let first: (exitCode: Int32, seed: UInt64?)

    /// How much longer than the first a run may take.
    private static let patience = 10

    /// Prepares.
    ///
    /// - Parameters:
    ///   - request: That of the first run.
    ///   - exitCode: How the first run ended.
    ///   - seed: The seed that it used.
    public init(
        _ request: SandboxRequest, _ explanation: Explanation, exitCode: Int32, seed: UInt64?
    ) {
        var request = request
        request.recording = RecordingRequest()
        request.recording.wantsStatistics = true
        request.recording.wantsProcessorUse = true
        request.isJob = false
        request.seed = seed ?? request.seed
        request.timeout =
            request.timeout ?? explanation.duration * Self.patience + .seconds(10)
        self.request = request
        self.explanation = explanation
        first = (exitCode, seed)
    }

    /// Why a command cannot be run again in this way; nil if it can.
    public static func obstacle(of request: SandboxRequest) -> String? {
        if request.scenario != nil {
            return "a scenario changes the network by itself; leave out --scenario or "
                + "--counterfactual"
        }
        if !request.publishedPorts.isEmpty {
            return "clients from outside do not come again for each run; leave out --publish or "
                + "--counterfactual"
        }
        return nil
    }

    /// Makes the runs.
    ///
    /// - Parameter report: Gets each run as soon as it has ended, with the number of all.
    /// - Returns: The signal that ended them early, if one did.
    public func run(
        _ report: (Counterfactual, _ total: Int) -> Void
    ) throws -> (runs: [Counterfactual], interruption: Int32?) {
        let scratch = try ScratchDirectory(prefix: "linkcond-again-", owner: request.identity)
        defer { scratch.remove() }
        let directory = try ReportDirectory(scratch: scratch.url.path, owner: request.identity)
        var pool = try CellPool(in: directory, jobs: 1)
        let removals: [Removal?] = [nil] + explanation.removals
        let capture = scratch.url.appending(path: "again.pcapng").path
        var basis = explanation
        var runs: [Counterfactual] = []
        var number = 0
        for removal in removals {
            var attempts = RunAttempts()
            while attempts.wantsMore {
                number += 1
                pool.rest(for: Repetition.pause(before: attempts.next))
                if let signal = pool.interruption { return (runs, signal) }
                var request = self.request(without: removal)
                if removal == nil { try record(&request, to: capture) }
                try pool.start(number, name: "\(number)") { _ in try SandboxCells.start(request) }
                while pool.count > 0 {
                    for ended in pool.wait(atMost: .seconds(1)) where !ended.wasEnded {
                        attempts.add(attempt(ended.outcome))
                    }
                }
                if let signal = pool.interruption { return (runs, signal) }
            }
            let predicted =
                removal.map { basis.prediction(without: $0) } ?? explanation.duration
            let run = attempts.result(without: removal, predicted: predicted)
            runs.append(run)
            report(run, removals.count)
            // What cannot be explained predicts nothing.
            if removal == nil, let again = try? Explainer.explanation(ofFile: capture) {
                basis = .lessDisturbed(explanation, again)
            }
        }
        return (runs, nil)
    }

    /// Makes a run write its packets.
    private func record(_ request: inout SandboxRequest, to capture: String) throws {
        _ = try RunFiles(
            statistics: nil, capture: capture, log: nil, timeline: nil, for: &request)
        request.recording.wantsStatistics = true
    }

    private func request(without removal: Removal?) -> SandboxRequest {
        var request = request
        guard let removal else { return request }
        for index in request.interfaces.indices {
            request.interfaces[index].conditions.remove(removal)
        }
        if removal == .nameResolution {
            request.knownNames = explanation.addresses.compactMap {
                KnownName($0.name, addresses: $0.addresses)
            }
        }
        return request
    }

    private func attempt(_ outcome: CellOutcome) -> RunAttempts.Attempt {
        if let problem = outcome.problem { return .useless(problem) }
        if outcome.isTimedOut, first.exitCode != 124 { return .useless("did not end in time") }
        if let code = outcome.exitCode, code != first.exitCode {
            return .useless("ended with \(code) instead of \(first.exitCode)")
        }
        guard let statistics = outcome.statistics else { return .useless("has no statistics") }
        let length = Duration.seconds(saturating: statistics.durationSeconds)
        return statistics.isFaithful == false ? .disturbed(length) : .measured(length)
    }
}

extension LinkConditions {
    /// Takes a component away.
    mutating func remove(_ removal: Removal) {
        if removal == .delay { dnsDelay = nil }
        if removal == .loss { isBlackhole = false }
        down.remove(removal)
        up.remove(removal)
    }
}

extension DirectionConditions {
    /// No queue is longer in fact.
    private static let endlessQueue = QueueLimit.bytes(ByteCount(bytes: 1 << 30))

    fileprivate mutating func remove(_ removal: Removal) {
        switch removal {
        case .loss:
            (loss, corrupt) = (.none, .zero)
            // A full queue loses packets, too.
            guard bandwidth != nil || trace != nil else { return }
            (queue, aqm, ecn) = (Self.endlessQueue, .dropTail, nil)
        case .bandwidth:
            (bandwidth, trace, queue) = (nil, nil, nil)
            (aqm, ecn) = (.dropTail, nil)
        case .delay:
            (delay, jitter, reorder) = (.zero, nil, nil)
        case .nameResolution:
            break
        }
    }
}
