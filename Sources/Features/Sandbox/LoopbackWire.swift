import LinkModel
import LinuxKernel
import Netlink
import NetworkPath
import PacketLoop
import SystemPackage
import TrafficControl

/// The conditioned loopback of the app: the link between the command's own programs.
///
///     app                            link
///     lo ──(filters)── lo-link ───── loop ══ packet engine
///      ↑                                          │
///      └──────────────────────────────────────────┘
///
/// Filters redirect what the loopback sends to a wire to the link. There the packet engine
/// conditions it and delivers it to the loopback. The engine does this even if qdiscs condition the
/// way to the far side, because qdiscs could not tell client from server.
enum LoopbackWire {
    /// The end in the app's namespace.
    private static let appEnd = Link.WireEnd(name: "lo-link", index: 106)
    /// The end in the link's namespace.
    private static let linkEnd = Link.WireEnd(name: "loop", index: 107)

    private static let loopback = Interface(index: 1, name: "lo")
    /// The MTU of an ordinary wire. The loopback's own packets have up to 64 KiB; queue, loss and
    /// other conditions would then apply to far fewer packets.
    private static let mtu: UInt32 = 1500

    /// Conditions the loopback. The calling thread is in the link's namespace.
    static func start(_ request: SandboxRequest, namespaces: SandboxNamespaces) throws -> PacketLoop
    {
        // There are no other devices: `SandboxRequest.obstacleOfDevices`.
        let app = namespaces.apps[0]
        try NetlinkSession().executeAll([
            Link.addVeth(linkEnd, to: appEnd, namespace: app.rawValue),
            Link.disableAutoconfiguration(index: linkEnd.index),
            Link.bringUp(index: linkEnd.index),
        ])
        let loop = try PacketLoop(
            loopbackOf: app, arrivingAt: linkEnd.index,
            conditions: request.preferred.conditions,
            traces: request.traces[request.preferred.conditions],
            // A different seed than for the way to the far side.
            seed: request.usedSeed.byteSwapped &+ 1, tolerance: request.tolerance)
        try loop.start()
        try NetworkNamespace.enter(app)
        try acceptReturningPackets()
        do {
            try NetlinkSession().executeAll(appMessages)
            Link.cutForPacketSockets(sentBy: [appEnd.index])
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

    /// Makes IPv4 accept the loopback's packets although they seem to come from outside: their
    /// routing information is lost on the wire. IPv6 accepts them anyway.
    private static func acceptReturningPackets() throws(KernelError) {
        for (name, value) in [
            // 127.0.0.0/8, both as source and as destination.
            ("ipv4/conf/lo/route_localnet", "1"),
            // Source addresses that belong to the host.
            ("ipv4/conf/lo/accept_local", "1"),
            // The reverse path of eth0's addresses is eth0, not the loopback. The stricter of these
            // two settings counts, and new namespaces inherit them from hosts.
            ("ipv4/conf/all/rp_filter", "0"),
            ("ipv4/conf/lo/rp_filter", "0"),
        ] {
            try KernelParameter("net/" + name).write(value)
        }
        // No IPv6 on this wire. Kernels without IPv6 have no such file.
        try? KernelParameter("net/ipv6/conf/\(appEnd.name)/disable_ipv6").write("1")
    }
}
