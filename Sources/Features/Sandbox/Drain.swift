import LinkModel
import LinkUnits
import LinuxKernel
import Netlink
import SystemPackage
import Uplink

/// What the command leaves under way when it ends, and the wait until that has arrived.
///
/// Theory of operation. A host lives on when a program ends, and its kernel delivers what the
/// program has sent. So does the sandbox. The app's processes are gone by now: whatever sockets are
/// left on its side belong to nobody, and are there until the other end has acknowledged the last
/// byte and the end of the stream, or TCP gives up. What is under way is looked for along the way
/// that it takes, so that nothing is missed that moves on meanwhile: packets that wait for a
/// neighbour's address, connections, the links, and at last the servers' sockets. What has come to
/// the relay is the supervisor's (`Relay.finish`).
///
/// A link on which nothing arrives, or nothing comes back, is not waited for.
struct Drain {
    /// What did not arrive.
    struct Remainder: Hashable {
        /// Connections that do not go through the relay.
        var connections = 0
        /// Connections through the relay, as the app's side of them shows.
        var relayed = 0
        /// Packets on the links, toward the network.
        var packets: UInt64 = 0
    }

    private struct UnderWay {
        /// Connections whose last bytes, or whose end, the other end has not acknowledged.
        var connections: [ListedSocket] = []
        /// Those of them that have no hope.
        var hopeless: [ListedSocket] = []
        /// Packets on the links.
        var packets: UInt64 = 0
        /// Whether packets wait for the address of a neighbour.
        var isAsking = false
        /// Whether servers have not taken all that has come to them.
        var isUnread = false

        var hasArrived: Bool { connections.isEmpty && packets == 0 && !isAsking }
    }

    private let request: SandboxRequest
    private let network: SandboxNetwork
    private let links: SandboxLinks
    private let processes: ProcessTree
    private let channel: MessageChannel

    /// A server that does not read what has come to it is not waited for longer.
    private static let readingPatience = Duration.seconds(1)

    init(
        _ request: SandboxRequest, _ network: SandboxNetwork, _ links: SandboxLinks,
        _ processes: ProcessTree, _ channel: MessageChannel
    ) {
        self.request = request
        self.network = network
        self.links = links
        self.processes = processes
        self.channel = channel
    }

    /// Waits until all has arrived, `limit` has passed, or somebody asks from outside for the end.
    /// Leaves the calling thread on the app's side.
    func run(within limit: Duration, rounds: () -> Duration?) throws -> Remainder {
        guard mayBeUnderWay else { return Remainder() }
        var underWay = UnderWay()
        let beginning = KernelClock.monotonic
        var isSilent = true
        var arrival: Duration?
        var looks = 0
        _ = try processes.wait(until: beginning + limit, rounds: rounds) {
            underWay = try look()
            let now = KernelClock.monotonic
            arrival = underWay.hasArrived ? arrival ?? now : nil
            let isRead =
                !underWay.isUnread || arrival.map { now - $0 > Self.readingPatience } == true
            // From one interface to the next the kernel takes a moment in which a packet is nowhere.
            looks = underWay.hasArrived && isRead ? looks + 1 : 0
            if isSilent, !underWay.hasArrived, now - beginning >= SandboxRequest.silence {
                isSilent = false
                channel.send(.note(note(underWay, within: limit)))
            }
            return looks == 2
        }
        let left = underWay.connections + underWay.hopeless
        let relayed = left.count(where: isRelayed)
        return Remainder(
            connections: left.count - relayed, relayed: relayed, packets: underWay.packets)
    }

    // MARK: What is under way

    /// Whether the app has sent anything. Most commands that need no network have not, and are not
    /// to wait even for a look.
    private var mayBeUnderWay: Bool {
        // A host forgets its neighbours with the interface behind which they are.
        guard links.interfaces.allSatisfy(\.isUsable), let neighbours = try? links.neighbours
        else { return true }
        return !neighbours.isEmpty
    }

    private func look() throws -> UnderWay {
        var found = UnderWay()
        found.isAsking = (try? links.neighbours)?.contains(where: \.isSought) == true
        try NetworkNamespace.enter(links.namespaces.app)
        let interfaces = links.interfaces
        let own = Set(interfaces.flatMap(\.addresses))
        // The command may have switched interfaces off itself, which takes their routes away.
        let switchedOn = try links.switchedOn
        let reachable = Set(
            interfaces.filter { switchedOn.contains($0.index) }.flatMap(\.addresses))
        for socket in ListedSocket.all(.tcp) where socket.isUnderWay {
            // The app's programs have nobody any more who would hear them.
            guard !own.contains(socket.remote.address), !socket.remote.address.isLoopback else {
                continue
            }
            let interface = interfaces.first { $0.addresses.contains(socket.local.address) }
            if interface?.isDead == true || !reachable.contains(socket.local.address) {
                found.hopeless.append(socket)
            } else {
                found.connections.append(socket)
            }
        }
        found.packets = links.packetsUnderWay
        if !request.servers.isEmpty, found.hasArrived {
            try NetworkNamespace.enter(links.namespaces.far)
            found.isUnread = isUnread()
        }
        return found
    }

    /// Whether servers have not taken all that has come to them, or not all ends of streams.
    private func isUnread() -> Bool {
        let servers = Set(network.families.map(\.server))
        let isAlone = request.uplink == .none
        return ListedSocket.all(.udp).contains { $0.unread > 0 }
            || ListedSocket.all(.tcp).contains { socket in
                guard socket.state != .listening else { return socket.unread > 0 }
                // The others are the relay's.
                guard isAlone || servers.contains(socket.local.address) else { return false }
                return socket.unread > 0 || socket.state == .closeWait
            }
    }

    private func isRelayed(_ socket: ListedSocket) -> Bool {
        guard let uplink = UplinkPlan(request.uplink) else { return false }
        return network.farNetwork(request.wires(of: network))
            .relays(trafficTo: socket.remote.address, uplink.scope)
    }

    private func note(_ underWay: UnderWay, within limit: Duration) -> String {
        var parts: [String] = []
        let ends = Set(underWay.connections.map(\.remote))
        if let first = ends.map(\.description).min() {
            let others = ends.count > 1 ? " and \(ends.count - 1) more" : ""
            let count = underWay.connections.count
            parts.append("\(count) connection\(count == 1 ? "" : "s") (to \(first)\(others))")
        }
        if underWay.packets > 0 {
            parts.append("\(underWay.packets) packet\(underWay.packets == 1 ? "" : "s")")
        }
        if parts.isEmpty { parts.append("what it sent") }
        return "the command has ended; waiting until what is under way has arrived: "
            + "\(parts.joined(separator: ", ")); \(limit.components.seconds) s at most (--drain)"
    }
}

extension ListedSocket {
    /// Whether a connection, of which no process has the socket any more, has something to bring to
    /// its other end. One of Multipath TCP may stand although its connection is closing.
    fileprivate var isUnderWay: Bool {
        switch state {
        case .finWait1, .closing, .lastAck: true
        case .established, .closeWait: unacknowledged > 0
        default: false
        }
    }
}

extension SandboxLinks.Interface {
    /// Whether nothing gets through, or nothing comes back.
    fileprivate var isDead: Bool {
        let conditions = conditions.withExplicitLoss
        return !isUsable || conditions.up.loss.mean == .one || conditions.down.loss.mean == .one
    }
}

extension Drain.Remainder {
    /// The numbers as they are sent.
    var text: String { "\(connections) \(relayed) \(packets)" }

    /// Reads what `text` has written.
    init?(_ numbers: ArraySlice<UInt64>) {
        let numbers = Array(numbers)
        guard numbers.count == 3, let connections = Int(exactly: numbers[0]),
            let relayed = Int(exactly: numbers[1])
        else { return nil }
        self.init(connections: connections, relayed: relayed, packets: numbers[2])
    }
}
