import LinkModel
import LinuxKernel
import Netlink
import NetworkPath
import PacketLoop
import SystemPackage
import TrafficControl

/// The conditioned loopback of the app: the link on which the command's programs talk to each
/// other.
///
///     app                            link
///     lo ──(filters)── lo-link ───── loop ══ packet engine
///      ↑                                          │
///      └──────────────────────────────────────────┘
///
/// Filters take what the loopback sends and send it over a wire to the link, where the packet
/// engine conditions it and has it arrive on the loopback. The engine does it also where qdiscs
/// condition the way to the far side: they could not tell who asks from who answers.
enum LoopbackWire {
    /// Toward the link, in the app's namespace.
    private static let appEnd = Link.WireEnd(name: "lo-link", index: 106)
    /// Toward the app, in the link's namespace.
    private static let linkEnd = Link.WireEnd(name: "loop", index: 107)

    private static let loopback = Interface(index: 1, name: "lo")
    /// That of an ordinary wire. A packet of the loopback has up to 64 KiB by itself, and then the
    /// queue, the loss and the rest of the conditions would be those of far fewer packets.
    private static let mtu: UInt32 = 1500

    /// Conditions the loopback. The calling thread is on the link.
    static func start(_ request: SandboxRequest, namespaces: SandboxNamespaces) throws -> PacketLoop
    {
        try NetlinkSession().executeAll([
            Link.addVeth(linkEnd, to: appEnd, namespace: namespaces.app.rawValue),
            Link.disableAutoconfiguration(index: linkEnd.index),
            Link.bringUp(index: linkEnd.index),
        ])
        let loop = try PacketLoop(
            loopbackOf: namespaces.app, arrivingAt: linkEnd.index,
            conditions: request.preferred.conditions,
            traces: request.traces[request.preferred.conditions],
            // Not what is lost on the way to the far side.
            seed: request.usedSeed.byteSwapped &+ 1)
        try loop.start()
        try NetworkNamespace.enter(namespaces.app)
        try acceptReturningPackets()
        do {
            try NetlinkSession().executeAll(appMessages)
        } catch {
            throw SandboxError(
                "--loopback: cannot take packets from the loopback: \(error); the kernel has to "
                    + "have sch_ingress, cls_u32 and act_mirred (see linkcond doctor)")
        }
        try NetworkNamespace.enter(namespaces.link)
        return loop
    }

    private static var appMessages: [NetlinkMessage] {
        [
            Link.bringUp(index: appEnd.index),
            // To apps it is a part of the loopback.
            Link.setAlias(
                index: appEnd.index, bytes: NetworkMark(kind: .loopback).sandboxAlias),
            Link.setMTU(index: loopback.index, mtu),
            Qdisc.clsact(on: loopback).add(),
        ]
            + [Filter.NetworkProtocol.ipv4, .ipv6].enumerated().map { index, networkProtocol in
                Filter(
                    interface: loopback, parent: .clsactEgress, preference: UInt16(index + 1),
                    networkProtocol: networkProtocol,
                    verdict: .redirect(
                        to: Interface(index: appEnd.index, name: appEnd.name),
                        cookie: Array("loopback".utf8))
                ).add()
            }
    }

    /// Has IPv4 take packets of the loopback that come from outside, as it seems: the kernel has
    /// forgotten where it sent them. IPv6 takes them as it is.
    private static func acceptReturningPackets() throws(KernelError) {
        for (name, value) in [
            // 127.0.0.0/8, both as source and as destination.
            ("ipv4/conf/lo/route_localnet", "1"),
            // Sources that are addresses of the host.
            ("ipv4/conf/lo/accept_local", "1"),
            // Answers to the addresses of eth0 would leave by eth0, if they left. The stricter
            // of these two counts, and hosts hand them on to new namespaces.
            ("ipv4/conf/all/rp_filter", "0"),
            ("ipv4/conf/lo/rp_filter", "0"),
        ] {
            try KernelParameter("net/" + name).write(value)
        }
        // A wire that nobody is to talk over. Kernels without IPv6 have no such file.
        try? KernelParameter("net/ipv6/conf/\(appEnd.name)/disable_ipv6").write("1")
    }
}
