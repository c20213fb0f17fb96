/// A quantity of a cell or of a test that may have grown or shrunk.
public struct Growth: Codable, Sendable, Hashable {
    /// What is compared.
    public enum Quantity: String, Codable, Sendable, Hashable, CaseIterable {
        /// How long it took, if it passed.
        case seconds
        /// The bytes delivered in both directions, including IP headers.
        case bytes
        /// How often the app asked something of the network.
        case requests
    }

    /// What the values say.
    public enum Verdict: String, Codable, Sendable, Hashable {
        /// The later values are greater: slower, more bytes or more requests.
        case greater
        /// The later values are smaller.
        case smaller
        /// There is no more difference than chance brings.
        case same
        /// There are too few values to tell a difference from chance.
        case unknown
    }

    /// What is compared.
    public var quantity: Quantity
    /// The median before.
    public var before: Double
    /// The median after.
    public var after: Double
    /// By which factor it has grown: the median of the ratios of all pairs; nil for values of zero.
    public var factor: Double?
    /// How likely values of the same size differ as much (Mann-Whitney U test); nil: too few.
    public var probability: Double?
    /// What the values say, among all quantities that were compared.
    public internal(set) var verdict = Verdict.unknown

    /// Compares values; nil if one report has none.
    init?(_ quantity: Quantity, from before: [Double], to after: [Double]) {
        guard let first = before.median, let second = after.median else { return nil }
        self.quantity = quantity
        self.before = first
        self.after = second
        factor = before.growth(to: after)
        probability = RankTest(before, after)?.probability
    }

    /// Judges among all that were compared.
    mutating func judge(_ discoveries: Discoveries) {
        guard let probability else { return }
        if !discoveries.include(probability) || before == after {
            verdict = .same
        } else {
            verdict = after > before ? .greater : .smaller
        }
    }
}
