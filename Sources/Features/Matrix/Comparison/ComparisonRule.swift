public import LinkUnits

/// What counts as a regression.
public enum ComparisonRule: Sendable, Hashable {
    /// A cell or a test fails now that did not, or has no result any more.
    case newFailures
    /// A cell or a test is flaky now that was not.
    case newFlaky
    /// A cell or a test takes longer by more than a share.
    case slower(Double)
    /// A cell transfers more bytes by more than a share.
    case moreBytes(Double)
    /// A cell asks more often of the network by more than a share.
    case moreRequests(Double)

    /// Reads rules separated by commas, such as `new-failures,slower:20%`.
    public static func parse(_ text: String) throws(QuantityError) -> [ComparisonRule] {
        var rules: [ComparisonRule] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            rules.append(try ComparisonRule(parsing: String(word)))
        }
        return rules
    }

    /// Reads a rule.
    init(parsing text: String) throws(QuantityError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map(String.init)
        let share = parts.count > 1 ? try Self.share(parts[1]) : 0
        switch (parts.first, parts.count) {
        case ("new-failures", 1): self = .newFailures
        case ("new-flaky", 1): self = .newFlaky
        case ("slower", _): self = .slower(share)
        case ("more-bytes", _): self = .moreBytes(share)
        case ("more-requests", _): self = .moreRequests(share)
        default:
            throw QuantityError(
                "\"\(text)\" is no rule; write new-failures, new-flaky, slower:20%, "
                    + "more-bytes:10% or more-requests:10%")
        }
    }

    private static func share(_ text: String) throws(QuantityError) -> Double {
        guard text.hasSuffix("%"), let percent = Double(text.dropLast()), percent.isFinite,
            percent >= 0
        else {
            throw QuantityError("\"\(text)\" is not a share; write it as 20%")
        }
        return percent / 100
    }

    /// Why an item breaks the rule, in a sentence; nil: it does not.
    func violation(of item: MatrixComparison.Item) -> String? {
        switch self {
        case .newFailures:
            switch item.change {
            case .newlyFailing:
                return "\(item.name) fails" + (item.reason.map { ": \($0)" } ?? "")
            case .newlyMissing: return "\(item.name) has no result any more"
            default: return nil
            }
        case .newFlaky:
            return item.change == .newlyFlaky ? "\(item.name) is flaky" : nil
        case .slower(let share): return violation(of: item, .seconds, share)
        case .moreBytes(let share): return violation(of: item, .bytes, share)
        case .moreRequests(let share): return violation(of: item, .requests, share)
        }
    }

    private func violation(
        of item: MatrixComparison.Item, _ quantity: Growth.Quantity, _ share: Double
    ) -> String? {
        guard let growth = item.growth.first(where: { $0.quantity == quantity }),
            growth.verdict == .greater, growth.factor.map({ $0 > 1 + share }) ?? true
        else { return nil }
        return "\(item.name) \(growth.sentence)"
    }
}

extension MatrixComparison {
    /// Judges by rules.
    public mutating func judge(by rules: [ComparisonRule]) {
        regressions = items.flatMap { item in rules.compactMap { $0.violation(of: item) } }
    }
}
