/// What a u32 filter does with the packets of a hook that match.
public struct U32Rule: Sendable, Hashable {
    /// All have to match.
    public var matches: [U32Match]
    /// Whether the packets are taken; otherwise they pass, and meet no further filter.
    public var isChosen: Bool

    /// Makes a rule.
    public init(matches: [U32Match], isChosen: Bool) {
        self.matches = matches
        self.isChosen = isChosen
    }
}
