import LinuxKernel
import Netlink
public import SystemPackage

/// The relay's sockets in the far side's network namespace.
///
/// A process with privileges over the namespace opens them and sends them to the relaying process,
/// which needs none.
public final class RelaySockets: Sendable {
    /// The resources for Multipath TCP with the app.
    final class Multipath: Sendable {
        /// Passes requests to the listener that has their port.
        final class Sender: Sendable {
            let raw: RawSender

            init(_ raw: consuming RawSender) {
                self.raw = raw
            }

            convenience init(isIPv6: Bool) throws(Errno) {
                self.init(try RawSender(isIPv6: isIPv6, mark: RelayRules.multipathMark))
            }
        }

        /// The channel for requesting listeners.
        let channel: MessageChannel
        let ipv4: Sender
        let ipv6: Sender?

        init(channel: MessageChannel, ipv4: Sender, ipv6: Sender?) {
            self.channel = channel
            self.ipv4 = ipv4
            self.ipv6 = ipv6
        }

        /// Opens the senders, and starts a thread that opens listeners in the calling thread's
        /// network namespace until the other end of the channel is closed.
        convenience init(hasIPv6: Bool) throws(Errno) {
            let (channel, far): (MessageChannel, MessageChannel)
            do throws(KernelError) {
                (channel, far) = try MessageChannel.pair()
                _ = try KernelThread(named: "listeners") { MultipathListeners.serve(far) }
            } catch {
                throw error.errno
            }
            self.init(
                channel: channel, ipv4: try Sender(isIPv6: false),
                ipv6: hasIPv6 ? try Sender(isIPv6: true) : nil)
        }

        deinit {
            channel.close()
        }

        var descriptors: [FileDescriptor] {
            [channel.descriptor] + [ipv4, ipv6].compactMap { $0?.raw.descriptor }
        }
    }

    let tap: RequestTap
    let trains: Trains
    let ipv4: Family
    let ipv6: Family?
    let multipath: Multipath?

    private init(
        tap: consuming RequestTap, trains: Trains, ipv4: Family, ipv6: Family?,
        multipath: Multipath?
    ) {
        self.tap = tap
        self.trains = trains
        self.ipv4 = ipv4
        self.ipv6 = ipv6
        self.multipath = multipath
    }

    /// Opens the sockets, and sets the routes and rules that direct the app's traffic to them.
    ///
    /// Call this in a thread with all privileges in the far side's namespace. The interfaces must
    /// be up and have their addresses. Everything vanishes with the namespace.
    ///
    /// - Parameters:
    ///   - isMultipath: Whether the relay speaks Multipath TCP with apps, so that their connections
    ///     survive the loss of an interface even if remote servers do not support it.
    ///   - isPaced: Whether it sends as the congestion control says that new sockets have.
    public static func open(
        _ network: FarNetwork, scope: RelayScope = .everything, isMultipath: Bool = false,
        isPaced: Bool = true
    ) throws(UplinkError) -> RelaySockets {
        tuneKernel(isMultipath: isMultipath)
        let (netlink, session) = try netlinkSession()
        let index = try index(of: network.interface, session)
        let sockets: RelaySockets
        let rules: RelayRules
        do throws(Errno) {
            let hasIPv6 = network.ipv6 != nil
            sockets = RelaySockets(
                tap: try RequestTap(interface: index),
                trains: try Trains(interface: index, netlink), ipv4: try Family(isIPv6: false),
                ipv6: hasIPv6 ? try Family(isIPv6: true) : nil,
                multipath: isMultipath ? try Multipath(hasIPv6: hasIPv6) : nil)
            if !isPaced {
                sockets.ipv4.listener.sendUnpaced()
                sockets.ipv6?.listener.sendUnpaced()
            }
            rules = RelayRules(
                network: network, scope: scope, ipv4: try sockets.ipv4.ports(),
                ipv6: try sockets.ipv6?.ports(), isMultipath: isMultipath)
        } catch {
            throw .system(attempt: "open the sockets of the relay", error)
        }
        try route(rules.routing(interface: index), session)
        try NFTables.load(rules.nftables)
        return sockets
    }

    private static func netlinkSession() throws(UplinkError) -> (NetlinkSocket, NetlinkSession) {
        do throws(NetlinkError) {
            let socket = try NetlinkSocket()
            return (socket, NetlinkSession(transport: socket))
        } catch {
            throw .netlink(error)
        }
    }

    private static func index(
        of interface: String, _ session: NetlinkSession
    ) throws(UplinkError) -> Int32 {
        do throws(NetlinkError) {
            if let link = try session.link(named: interface) { return link.index }
        } catch {
            throw .netlink(error)
        }
        throw .noSuchInterface(interface)
    }

    private static func route(
        _ messages: [NetlinkMessage], _ session: NetlinkSession
    ) throws(UplinkError) {
        do throws(NetlinkError) {
            guard let failure = try session.execute(messages).first else { return }
            throw NetlinkError(
                attempt: "route the app's traffic to the relay", errno: failure.errno,
                kernelText: failure.kernelText)
        } catch {
            throw .netlink(error)
        }
    }

    /// Lets TCP windows grow to the bandwidth-delay product of a satellite link, and keeps
    /// connections from inheriting metrics of earlier ones.
    private static func tuneKernel(isMultipath: Bool) {
        // If /proc is read-only, as in some containers, the kernel's defaults must do.
        try? KernelParameter("net/ipv4/tcp_wmem").write("4096 16384 16777216")
        // Multipath TCP has set wider ones.
        if !isMultipath {
            try? KernelParameter("net/ipv4/tcp_rmem").write("4096 131072 33554432")
        }
        try? KernelParameter("net/ipv4/tcp_no_metrics_save").write("1")
    }

    /// Packets of the app lost because they arrived faster than they could be read.
    var unreadPackets: UInt64 {
        tap.dropped + ipv4.unreadDatagrams + (ipv6?.unreadDatagrams ?? 0)
    }

    /// Sends the sockets to the relaying process over a Unix socket.
    public func send(over socket: FileDescriptor) throws(UplinkError) {
        let descriptors =
            [tap.descriptor] + trains.descriptors + [ipv4, ipv6].flatMap { $0?.descriptors ?? [] }
            + (multipath?.descriptors ?? [])
        do {
            try DescriptorPassing.send(descriptors, over: socket)
        } catch {
            throw .system(attempt: "hand over the sockets of the relay", error)
        }
    }

    /// Copies of the descriptors of the packet sockets among them.
    ///
    /// Whoever closes the last one of a packet socket waits until no processor uses it any more, which
    /// takes the kernel some tens of milliseconds. The relay does not while a copy is open.
    public func copiesOfPacketSockets() throws(UplinkError) -> [FileDescriptor] {
        do {
            return [try tap.descriptor.copy(), try trains.sender.descriptor.copy()]
        } catch {
            throw .system(attempt: "copy a socket of the relay", error)
        }
    }

    /// Receives the sockets from another process.
    public static func receive(from socket: FileDescriptor) throws(UplinkError) -> RelaySockets {
        let descriptors: [FileDescriptor]
        do {
            descriptors = try DescriptorPassing.receive(from: socket)
        } catch {
            throw .system(attempt: "receive the sockets of the relay", error)
        }
        // The tap, what sends trains, one or two families, and for Multipath TCP as many senders and a
        // channel.
        let perFamily = Family.descriptorCount
        let count = descriptors.count - 1 - Trains.descriptorCount
        let families = count / perFamily
        let forMultipath = count % perFamily
        guard [1, 2].contains(families), [0, families + 1].contains(forMultipath) else {
            for descriptor in descriptors { try? descriptor.close() }
            throw .system(attempt: "receive the sockets of the relay", .brokenPipe)
        }
        var rest = descriptors[...]
        let tap = RequestTap(adopting: OwnedDescriptor(adopting: rest.removeFirst()))
        let trains = Trains(adopting: &rest)
        let ipv4 = Family(adopting: &rest)
        let ipv6 = families == 2 ? Family(adopting: &rest) : nil
        func sender() -> Multipath.Sender {
            Multipath.Sender(RawSender(adopting: OwnedDescriptor(adopting: rest.removeFirst())))
        }
        let multipath =
            forMultipath == 0
            ? nil
            : Multipath(
                channel: MessageChannel(adopting: rest.removeFirst()), ipv4: sender(),
                ipv6: families == 2 ? sender() : nil)
        return RelaySockets(
            tap: tap, trains: trains, ipv4: ipv4, ipv6: ipv6, multipath: multipath)
    }
}
