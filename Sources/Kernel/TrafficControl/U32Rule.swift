/// What a u32 filter does with matching packets of a hook.
public struct U32Rule: Sendable, Hashable {
    /// All must match.
    public var matches: [U32Match]
    /// Whether the packets are selected; otherwise they pass, and meet no further filter.
    public var isChosen: Bool

    /// Makes a rule.
    public init(matches: [U32Match], isChosen: Bool) {
        self.matches = matches
        self.isChosen = isChosen
    }
}
