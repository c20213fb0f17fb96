import CNetlink
public import Netlink

/// A filter as the kernel reports it, with what is needed to tell ours from others.
public struct FilterState: Sendable, Hashable {
    /// The hook or qdisc it belongs to.
    public let parent: QdiscHandle
    /// Its preference.
    public let preference: UInt16
    /// The EtherType of the packets that it matches.
    public let ethertype: UInt16
    /// The kernel's name for its kind.
    public let kind: String
    /// The name of its program, if it is a `ProgramFilter`.
    public let programName: String?

    static let programKind = "bpf"

    /// Reads an `RTM_NEWTFILTER` message; nil for any other.
    public init?(_ message: NetlinkMessage) {
        guard message.type == UInt16(RTM_NEWTFILTER),
            let (fixed, attributes) = message.parse(tcmsg.self),
            let kind = attributes.string(Int(TCA_KIND))
        else { return nil }
        parent = QdiscHandle(rawValue: fixed.tcm_parent)
        preference = UInt16(fixed.tcm_info >> 16)
        ethertype = UInt16(bigEndian: UInt16(fixed.tcm_info & 0xffff))
        self.kind = kind
        programName =
            kind == Self.programKind
            ? attributes.nested(Int(TCA_OPTIONS))?.string(Int(TCA_BPF_NAME)) : nil
    }
}
