import LinuxKernel
import Netlink
import TrafficControl

extension DataPlanes {
    /// The effects of other programs' emulators and rate limits on outgoing packets of these
    /// interfaces, in addition to the conditions.
    static func remarks(on links: [Link]) throws(NetlinkError) -> [String] {
        let qdiscs = try NetlinkSession().dump(Qdisc.list(), attempt: "list the qdiscs")
            .compactMap(QdiscState.init)
        return links.flatMap { link in
            qdiscs.filter { $0.interfaceIndex == link.index && $0.kind.isEmulator }.map { qdisc in
                "\(link.name): has a qdisc of another program, \(qdisc.kind.name) "
                    + "\(qdisc.handle); what that does to packets that leave adds up with the "
                    + "conditions (tc qdisc show dev \(ShellWord(link.name)))"
            }
        }
    }
}

extension Qdisc.Kind {
    /// Whether it delays, drops or limits packets by itself, other than for lack of room.
    fileprivate var isEmulator: Bool {
        switch self {
        case .netem, .tokenBucket: true
        default: false
        }
    }
}
