import CNetlink

/// A classic BPF program that tells whether a packet matches.
///
/// The kernel compiles it, so that a choice of many addresses and ports costs a few comparisons: a
/// u32 filter would be needed for each combination. It needs no right beyond that to add filters,
/// unlike eBPF.
public struct PacketProgram: Sendable, Hashable {
    /// One instruction, as in `struct sock_filter`.
    struct Instruction: Sendable, Hashable {
        var code: UInt16
        /// How many instructions a conditional jump skips where the comparison is true.
        var skippedIfTrue: UInt8 = 0
        /// How many it skips otherwise.
        var skippedIfFalse: UInt8 = 0
        var operand: UInt32
    }

    let instructions: [Instruction]

    /// The kernel takes no longer ones.
    static let longest = Int(BPF_MAXINSNS)

    /// A program for packets that match one of `rules`; nil if it is too long for the kernel.
    public init?(anyOf rules: [PacketRule], in header: PacketHeader) {
        self.init(rules, matches: true, header)
    }

    /// A program for packets that match none of `rules`; nil if it is too long for the kernel.
    public init?(noneOf rules: [PacketRule], in header: PacketHeader) {
        self.init(rules, matches: false, header)
    }

    /// - Parameter matches: whether the program matches packets that match a rule, or all others.
    private init?(_ rules: [PacketRule], matches: Bool, _ header: PacketHeader) {
        var writer = ProgramWriter(header)
        let matching = writer.verdict(matches: matches)
        var next = writer.verdict(matches: !matches)
        for rule in rules.reversed() {
            var place = matching
            for test in rule.tests.reversed() {
                place = writer.write(test, then: place, otherwise: next)
            }
            next = place
        }
        instructions = writer.finished(at: next)
        guard instructions.count <= Self.longest else { return nil }
    }

    /// `struct sock_filter` of each instruction.
    var bytes: [UInt8] {
        instructions.flatMap { instruction in
            let code = sock_filter(
                code: instruction.code, jt: instruction.skippedIfTrue,
                jf: instruction.skippedIfFalse, k: instruction.operand)
            return unsafe withUnsafeBytes(of: code) { unsafe Array($0) }
        }
    }

    /// tc's form, which `tcpdump -ddd` prints too, on one line.
    var tcText: String {
        ([String(instructions.count)]
            + instructions.map {
                "\($0.code) \($0.skippedIfTrue) \($0.skippedIfFalse) \($0.operand)"
            }).joined(separator: ",")
    }
}
