/// The attempts at a counterfactual run: it is repeated if the machine was too busy for it, a few
/// times.
public struct RunAttempts: Sendable {
    /// How a run of the command ended.
    public enum Attempt: Sendable, Hashable {
        /// It took so long.
        case measured(Duration)
        /// It took so long, but the machine was too busy for it.
        case disturbed(Duration)
        /// Its duration says nothing, for this reason.
        case useless(String)
    }

    /// How often a run is made at most.
    public static let most = 4

    private var attempts: [Attempt] = []

    /// Prepares for the first.
    public init() {}

    /// Whether the next attempt may say more than those before.
    public var wantsMore: Bool {
        switch attempts.last {
        case nil: true
        case .disturbed: attempts.count < Self.most
        case .measured, .useless: false
        }
    }

    /// The number of the next attempt.
    public var next: Int { attempts.count + 1 }

    /// Adds one.
    public mutating func add(_ attempt: Attempt) { attempts.append(attempt) }

    /// What they say.
    public func result(without removal: Removal?, predicted: Duration) -> Counterfactual {
        switch attempts.last {
        case .measured(let length):
            return Counterfactual(removal: removal, predicted: predicted, measured: length)
        case .useless(let problem):
            return Counterfactual(
                removal: removal, predicted: predicted, measured: nil, problem: problem)
        case .disturbed, nil:
            let lengths = attempts.compactMap { attempt in
                if case .disturbed(let length) = attempt { length } else { nil }
            }
            let fastest = lengths.min().map { ": the fastest took \($0.readableText)" } ?? ""
            return Counterfactual(
                removal: removal, predicted: predicted, measured: nil,
                problem: "the machine was too busy for each of \(lengths.count) runs\(fastest)")
        }
    }
}
