import Glibc
import LinkModel
import LinuxKernel
import Netlink
import NetworkPath
import SystemPackage

/// The network namespaces of a sandbox, kept alive by file descriptors.
struct SandboxNamespaces: Sendable {
    /// The namespace of each device's command; at least one.
    var apps: [FileDescriptor]
    /// The namespace in which both directions are conditioned; the far side's if none is.
    var link: FileDescriptor
    /// The namespace of the servers and the uplink.
    var far: FileDescriptor

    /// Netlink sessions in some of them, for changes while the command runs.
    struct Sessions {
        let apps: [NetlinkSession]
        let link: NetlinkSession
    }

    /// How many there are besides the far side's.
    static func further(_ request: SandboxRequest) -> Int {
        request.allDevices.count + (request.hasDirectWire ? 0 : 1)
    }

    /// Makes and joins them. The calling thread's namespace becomes the far side; the thread ends
    /// up in the link's.
    static func make(
        _ network: SandboxNetwork, _ wires: [Wire], _ request: SandboxRequest,
        _ preferences: [RoutePreference], _ supply: NetworkSupply?
    ) throws -> (SandboxNamespaces, Sessions) {
        let interfaces = request.interfaces
        func enterNext() throws(KernelError) -> FileDescriptor {
            if let supply { try supply.enterNext() } else { try NetworkSupply.enterNew() }
        }
        let far = try NetworkNamespace.openCurrent()
        let farSession = try NetlinkSession()
        let mustSet = NamespaceParameters.set()
        allowLowPorts()
        if request.uplink == .none { refuseWhatLeadsNowhere() }
        try request.congestionControl?.use()
        var apps: [(network: FileDescriptor, session: NetlinkSession)] = []
        for _ in request.allDevices {
            apps.append((try enterNext(), try NetlinkSession()))
            if mustSet { _ = NamespaceParameters.set() }
            allowPing()
            if !request.publishedPorts.isEmpty { allowLowPorts() }
            if request.opensManyConnections { NamespaceParameters.allowManyConnections() }
            try request.congestionControl?.use()
            if wires.count > 1 { keepAddressesApart() }
        }
        let (link, linkSession): (FileDescriptor, NetlinkSession)
        if request.hasDirectWire {
            try NetworkNamespace.enter(far)
            (link, linkSession) = (far, farSession)
        } else {
            (link, linkSession) = (try enterNext(), try NetlinkSession())
            if mustSet { _ = NamespaceParameters.set() }
            if wires.count > 1 { silenceNewInterfaces() }
        }
        let namespaces = SandboxNamespaces(apps: apps.map(\.network), link: link, far: far)

        let absent = Set(interfaces.filter { !$0.isPresent }.map(\.name))
        do {
            try linkSession.executeAll(
                request.hasDirectWire
                    ? SandboxNetwork.directMessages(wires[0], namespaces)
                    : SandboxNetwork.linkMessages(wires, absent: absent, namespaces))
        } catch {
            guard wires.count > 1, error.errno == .notSupportedOnSocket else { throw error }
            throw SandboxError(
                "several interfaces are joined by a bridge, which this kernel lacks: load it with "
                    + "sudo modprobe bridge, or give the command one interface")
        }
        try farSession.executeAll(network.farMessages(wires))
        for (device, app) in apps.enumerated() {
            try app.session.executeAll(
                SandboxNetwork.appMessages
                    + zip(wires, interfaces).filter { $0.0.device == device }
                    .flatMap { wire, interface in
                        wire.lastingMessages
                            + (interface.isPresent
                                ? wire.bringUpMessages + [wire.alias(interface.mark)]
                                    + wire.limited(to: interface.conditions.middle?.family)
                                    .addressMessages(
                                        metric: preferences[device].metric(of: interface.name))
                                : [])
                    })
        }
        try linkSession.executeAll(
            zip(wires, interfaces).filter { !$0.1.isPresent }.map { $0.alias($1.mark) })
        if !request.hasDirectWire { try namespaces.cutForPacketSockets(wires) }
        return (namespaces, Sessions(apps: apps.map(\.session), link: linkSession))
    }

    /// Has those who send toward the packet engine cut what it could not read.
    private func cutForPacketSockets(_ wires: [Wire]) throws(KernelError) {
        for (device, app) in apps.enumerated() {
            let own = wires.filter { $0.device == device }.map(\.app.index)
            try NetworkNamespace.visit(app) { Link.cutForPacketSockets(sentBy: own) }
        }
        try NetworkNamespace.visit(far) {
            Link.cutForPacketSockets(sentBy: [SandboxNetwork.far.index])
        }
        // Where several meet, and what has not moved to the app yet.
        try NetworkNamespace.visit(link) {
            Link.cutForPacketSockets(sentBy: wires.flatMap { [$0.port.index, $0.away.index] })
        }
    }

    /// Lets servers of any user listen on ports such as 53 and 80, as on their own host.
    private static func allowLowPorts() {
        try? Namespaces.write("0", to: "/proc/sys/net/ipv4/ip_unprivileged_port_start")
    }

    /// Has the far side say that it knows no way to an address, as a router does. A kernel that does not
    /// forward keeps silent, and programs wait for their time limits. It has no interface to forward to.
    private static func refuseWhatLeadsNowhere() {
        try? KernelParameter("net/ipv4/ip_forward").write("1")
    }

    /// Lets the command's user send echo requests: ping's file capability has no effect in a user
    /// namespace.
    private static func allowPing() {
        let parameter = KernelParameter("net/ipv4/ping_group_range")
        // Kernels without IPv4 have no such parameter and need none. A user namespace has only few
        // of the groups.
        if geteuid() == 0, (try? parameter.write("0 2147483647")) != nil { return }
        try? parameter.write("\(getgid()) \(getgid())")
    }

    /// Stops interfaces of the calling thread's namespace from announcing their multicast groups:
    /// where several wires meet, this would count as traffic on each.
    private static func silenceNewInterfaces() {
        // Kernels without IPv6 have no such file.
        try? KernelParameter("net/ipv6/conf/default/disable_ipv6").write("1")
    }

    /// Makes an interface answer and send ARP for its own addresses only: to Linux, addresses
    /// belong to the host, whatever interface has them.
    private static func keepAddressesApart() {
        for (name, value) in [("arp_ignore", "1"), ("arp_announce", "2")] {
            for scope in ["all", "default"] {
                try? KernelParameter("net/ipv4/conf/\(scope)/\(name)").write(value)
            }
        }
    }
}

extension Wire {
    /// Sets what the app sees of its interface.
    func alias(_ mark: NetworkMark) -> NetlinkMessage {
        Link.setAlias(index: app.index, bytes: mark.sandboxAlias)
    }
}

extension NetlinkSession {
    /// Sends all messages in one batch.
    func executeAll(_ messages: [NetlinkMessage]) throws(NetlinkError) {
        guard let failure = try execute(messages).first else { return }
        throw NetlinkError(
            attempt: "build the sandbox's network (step \(failure.index + 1))",
            errno: failure.errno, kernelText: failure.kernelText)
    }
}
