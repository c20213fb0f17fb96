import CNetlink
import Netlink

/// What the kinds of filters differ in.
extension Filter.Match {
    /// The kernel's name.
    var kind: String {
        switch self {
        case .words: "u32"
        case .program: FilterState.programKind
        }
    }

    /// The numbers of the attributes that every kind has.
    var attributes: (classID: Int, actions: Int) {
        switch self {
        case .words: (Int(TCA_U32_CLASSID), Int(TCA_U32_ACT))
        case .program: (Int(TCA_BPF_CLASSID), Int(TCA_BPF_ACT))
        }
    }

    /// Adds the attributes that describe the packets.
    func encode(into builder: borrowing MessageBuilder) {
        switch self {
        case .words(let words):
            builder.put(Int(TCA_U32_SEL), bytes: Self.selector(words))
        case .program(let program):
            builder.put(Int(TCA_BPF_OPS_LEN), UInt16(program.instructions.count))
            builder.put(Int(TCA_BPF_OPS), bytes: program.bytes)
        }
    }

    var tcText: String {
        switch self {
        case .words(let words):
            "u32 " + Self.keys(words).map(\.tcText).joined(separator: " ")
        case .program(let program): "bpf bytecode '\(program.tcText)'"
        }
    }

    /// In tc an empty selector matches nothing; a word with an empty mask is the idiom.
    private static func keys(_ words: [U32Match]) -> [U32Match] {
        words.isEmpty ? [.everything] : words
    }

    /// `struct tc_u32_sel`, which ends in a flexible array that Swift cannot import.
    private static func selector(_ words: [U32Match]) -> [UInt8] {
        let keys = keys(words)
        var header = tc_u32_sel()
        header.flags = UInt8(TC_U32_TERMINAL)
        header.nkeys = UInt8(keys.count)
        let fixed = unsafe withUnsafeBytes(of: header) { unsafe Array($0) }
        return fixed + keys.flatMap(\.key)
    }
}

extension Filter.Verdict {
    /// What an action does, its verdict on the packet, and where the packet goes.
    typealias Action = (action: Int32, verdict: Int32, target: Interface)

    /// The actions with their mark; nil for none.
    var actions: (actions: [Action], cookie: [UInt8])? {
        switch self {
        case .classify: nil
        case .redirect(let target, let cookie):
            ([(TCA_EGRESS_REDIR, TC_ACT_STOLEN, target)], cookie)
        case .distribute(let targets, let cookie):
            (
                targets.dropLast().map { (TCA_EGRESS_MIRROR, TC_ACT_PIPE, $0) }
                    + targets.suffix(1).map { (TCA_EGRESS_REDIR, TC_ACT_STOLEN, $0) }, cookie
            )
        case .inject(let target, let cookie):
            ([(TCA_INGRESS_REDIR, TC_ACT_STOLEN, target)], cookie)
        }
    }
}
