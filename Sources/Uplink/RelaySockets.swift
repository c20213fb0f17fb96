import LinuxKernel
import Netlink
public import SystemPackage

/// The relay's sockets in the far side's network namespace.
///
/// A process with privileges over the namespace opens them and sends them to the one that relays,
/// which needs none.
public final class RelaySockets: Sendable {
    /// The sockets of IPv4 or IPv6.
    final class Family: Sendable {
        let listener: TransparentListener
        let datagrams: TransparentDatagramSocket
        let sender: RawSender

        init(
            listener: consuming TransparentListener,
            datagrams: consuming TransparentDatagramSocket, sender: consuming RawSender
        ) {
            self.listener = listener
            self.datagrams = datagrams
            self.sender = sender
        }

        convenience init(isIPv6: Bool, isMultipath: Bool) throws(Errno) {
            self.init(
                listener: try TransparentListener(isIPv6: isIPv6, isMultipath: isMultipath),
                datagrams: try TransparentDatagramSocket(isIPv6: isIPv6),
                sender: try RawSender(isIPv6: isIPv6, mark: RelayRules.mark))
        }

        func ports() throws(Errno) -> RelayRules.Ports {
            RelayRules.Ports(stream: try listener.port(), datagram: try datagrams.port())
        }
    }

    let tap: RequestTap
    let ipv4: Family
    let ipv6: Family?

    private init(tap: consuming RequestTap, ipv4: Family, ipv6: Family?) {
        self.tap = tap
        self.ipv4 = ipv4
        self.ipv6 = ipv6
    }

    /// Opens the sockets, and sets routes and rules so that the app's traffic comes to them.
    ///
    /// For a thread in the far side's namespace that may do everything there. The interfaces
    /// must be up and have their addresses. All that is set up goes with the namespace.
    ///
    /// - Parameter isMultipath: whether the relay speaks Multipath TCP with apps that do, so that
    ///   their connections outlive an interface though no server beyond knows of it.
    public static func open(
        _ network: FarNetwork, scope: RelayScope = .everything, isMultipath: Bool = false
    ) throws(UplinkError) -> RelaySockets {
        tuneKernel()
        let index = try index(of: network.interface)
        let sockets: RelaySockets
        let rules: RelayRules
        do throws(Errno) {
            sockets = RelaySockets(
                tap: try RequestTap(interface: index),
                ipv4: try Family(isIPv6: false, isMultipath: isMultipath),
                ipv6: network.ipv6 == nil
                    ? nil : try Family(isIPv6: true, isMultipath: isMultipath))
            rules = RelayRules(
                network: network, scope: scope, ipv4: try sockets.ipv4.ports(),
                ipv6: try sockets.ipv6?.ports())
        } catch {
            throw .system(attempt: "open the sockets of the relay", error)
        }
        try route(rules.routing(interface: index))
        try NFTables.load(rules.nftables)
        return sockets
    }

    private static func index(of interface: String) throws(UplinkError) -> Int32 {
        do throws(NetlinkError) {
            if let link = try NetlinkSession().link(named: interface) { return link.index }
        } catch {
            throw .netlink(error)
        }
        throw .noSuchInterface(interface)
    }

    private static func route(_ messages: [NetlinkMessage]) throws(UplinkError) {
        do throws(NetlinkError) {
            guard let failure = try NetlinkSession().execute(messages).first else { return }
            throw NetlinkError(
                attempt: "route the app's traffic to the relay", errno: failure.errno,
                kernelText: failure.kernelText)
        } catch {
            throw .netlink(error)
        }
    }

    /// Lets TCP windows grow to the bandwidth-delay product of a satellite link, and each
    /// connection begin without what an earlier one learned.
    private static func tuneKernel() {
        // Where /proc is read-only, such as in some containers, the kernel's values have to do.
        try? KernelParameter("net/ipv4/tcp_wmem").write("4096 16384 16777216")
        try? KernelParameter("net/ipv4/tcp_rmem").write("4096 131072 33554432")
        try? KernelParameter("net/ipv4/tcp_no_metrics_save").write("1")
    }

    /// Sends the sockets to the process that relays, over a Unix socket.
    public func send(over socket: FileDescriptor) throws(UplinkError) {
        let descriptors =
            [tap.descriptor]
            + [ipv4, ipv6].compactMap { $0 }.flatMap {
                [$0.listener.descriptor, $0.datagrams.descriptor, $0.sender.descriptor]
            }
        do {
            try DescriptorPassing.send(descriptors, over: socket)
        } catch {
            throw .system(attempt: "hand over the sockets of the relay", error)
        }
    }

    /// Waits for the sockets that another process sends.
    public static func receive(from socket: FileDescriptor) throws(UplinkError) -> RelaySockets {
        let descriptors: [FileDescriptor]
        do {
            descriptors = try DescriptorPassing.receive(from: socket)
        } catch {
            throw .system(attempt: "receive the sockets of the relay", error)
        }
        guard [4, 7].contains(descriptors.count) else {
            for descriptor in descriptors { try? descriptor.close() }
            throw .system(attempt: "receive the sockets of the relay", .brokenPipe)
        }
        func family(at index: Int) -> Family {
            Family(
                listener: TransparentListener(
                    adopting: OwnedDescriptor(adopting: descriptors[index])),
                datagrams: TransparentDatagramSocket(
                    adopting: OwnedDescriptor(adopting: descriptors[index + 1])),
                sender: RawSender(adopting: OwnedDescriptor(adopting: descriptors[index + 2])))
        }
        return RelaySockets(
            tap: RequestTap(adopting: OwnedDescriptor(adopting: descriptors[0])),
            ipv4: family(at: 1), ipv6: descriptors.count == 7 ? family(at: 4) : nil)
    }
}
