import LinkModel
import LinkUnits

/// Decides for each packet whether it is lost.
///
/// Every packet takes one random number, so that the pattern depends on the seed alone, not on
/// arrival times or on the rest of the link.
struct LossProcess: Sendable {
    private enum Model: Hashable {
        case independent(Ratio)
        /// Gilbert's Markov chain: every packet is lost in the bad state and none in the good one.
        case gilbert(toBad: Ratio, toGood: Ratio)
    }

    private var model: Model
    private var isBad = false
    private var random: RandomStream

    init(_ loss: LossModel, random: RandomStream) {
        self.random = random
        model = Self.model(of: loss)
        enterChain(mean: loss.mean)
    }

    /// Changes the model; the random stream continues, and so does the state of a chain that stays.
    mutating func change(to loss: LossModel) {
        let changed = Self.model(of: loss)
        guard changed != model else { return }
        model = changed
        enterChain(mean: loss.mean)
    }

    /// Whether the next packet is lost.
    mutating func losesNext() -> Bool {
        switch model {
        case .independent(let probability):
            guard probability > .zero else { return false }
            return random.isChosen(probability)
        case .gilbert(let toBad, let toGood):
            let isLost = isBad
            if random.isChosen(isBad ? toGood : toBad) { isBad.toggle() }
            return isLost
        }
    }

    private static func model(of loss: LossModel) -> Model {
        guard let (p, r) = loss.gilbertTransitions else { return .independent(loss.mean) }
        return .gilbert(toBad: p, toGood: r)
    }

    /// Starts the chain in its stationary state, so that short runs have the right mean too.
    private mutating func enterChain(mean: Ratio) {
        guard case .gilbert = model else { return }
        isBad = random.isChosen(mean)
    }
}
