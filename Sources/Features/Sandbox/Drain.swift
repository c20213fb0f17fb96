import LinkModel
import LinkUnits
import LinuxKernel
import Netlink
import Scenarios
import SystemPackage
import Uplink

/// Waits until the data that the command left in flight has arrived.
///
/// Theory of operation. When a program on a host ends, the kernel still delivers what it has sent.
/// So does the sandbox. The app's processes are gone by now: any sockets left on its side belong to
/// no process and exist until the peer has acknowledged the last byte and the end of the stream, or
/// TCP gives up. Data in flight is searched for along its path, so that data moving on is not
/// missed: packets waiting for a neighbour's address, connections, the links, and finally the
/// servers' sockets. The supervisor handles what has reached the relay (`Relay.finish`).
///
/// A link on which nothing arrives, or from which nothing returns, is not waited for.
struct Drain {
    /// What did not arrive.
    struct Remainder: Hashable {
        /// Connections that do not go through the relay.
        var connections = 0
        /// Connections through the relay, counted on the app's side.
        var relayed = 0
        /// Packets on the links, toward the network.
        var packets: UInt64 = 0
    }

    private struct UnderWay {
        /// Connections whose last bytes or end are not acknowledged by the peer.
        var connections: [ListedSocket] = []
        /// Those of them that cannot succeed.
        var hopeless: [ListedSocket] = []
        /// Packets on the links.
        var packets: UInt64 = 0
        /// Whether packets wait for a neighbour's address.
        var isAsking = false
        /// Whether servers have not read everything yet.
        var isUnread = false

        var hasArrived: Bool { connections.isEmpty && packets == 0 && !isAsking }
    }

    let request: SandboxRequest
    let network: SandboxNetwork
    let links: SandboxLinks
    let processes: ProcessTree
    let channel: MessageChannel

    /// How long to wait for a server to read its data.
    private static let readingPatience = Duration.seconds(1)

    /// Waits until everything has arrived, `limit` has passed, or a signal from outside asks to
    /// end. Leaves the calling thread on the app's side.
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
            // While the kernel moves a packet from one interface to the next, it is briefly visible
            // nowhere.
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

    // MARK: Data in flight

    /// Whether the app has sent anything. Most commands that need no network have not, and should
    /// not wait even for one look.
    private var mayBeUnderWay: Bool {
        // A host forgets its neighbours when their interface vanishes.
        guard links.interfaces.allSatisfy(\.isUsable), let neighbours = try? links.neighbours
        else { return true }
        return !neighbours.isEmpty
    }

    private func look() throws -> UnderWay {
        var found = UnderWay()
        found.isAsking = (try? links.neighbours)?.contains(where: \.isSought) == true
        for device in links.namespaces.apps.indices { try look(at: device, &found) }
        found.packets = links.packetsUnderWay
        if !request.servers.isEmpty, found.hasArrived {
            try NetworkNamespace.enter(links.namespaces.far)
            found.isUnread = isUnread()
        }
        return found
    }

    /// Adds the connections of a device.
    private func look(at device: Int, _ found: inout UnderWay) throws {
        try NetworkNamespace.enter(links.namespaces.apps[device])
        let interfaces = links.interfaces(of: device)
        let own = Set(interfaces.flatMap(\.addresses))
        // The command may have brought interfaces down itself, which removes their routes.
        let switchedOn = try links.switchedOn(of: device)
        let reachable = Set(
            interfaces.filter { switchedOn.contains($0.index) }.flatMap(\.addresses))
        let hasOtherPaths =
            request.multipath != .off
            && interfaces.contains { !$0.isDead && switchedOn.contains($0.index) }
        lazy var moved = MovedConnections()
        for socket in ListedSocket.all(.tcp) where socket.isUnderWay {
            // The app's own programs have ended and cannot receive anything.
            guard !own.contains(socket.remote.address), !socket.remote.address.isLoopback else {
                continue
            }
            let interface = interfaces.first { $0.addresses.contains(socket.local.address) }
            if interface?.isDead != true, reachable.contains(socket.local.address) {
                found.connections.append(socket)
            } else if !hasOtherPaths {
                found.hopeless.append(socket)
            } else if moved.isMoving(socket) {
                found.connections.append(socket)
            } else if !moved.haveDelivered(socket) {
                found.hopeless.append(socket)
            }
        }
    }

    /// Whether servers have not read all data and all ends of streams.
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
        return network.farNetwork(request)
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
    /// Whether an orphaned connection still has something to deliver. A Multipath TCP connection
    /// may be listed as established although it is closing.
    fileprivate var isUnderWay: Bool {
        switch state {
        case .finWait1, .closing, .lastAck: true
        case .established, .closeWait: unacknowledged > 0
        default: false
        }
    }
}

extension SandboxLinks.Interface {
    /// Whether the link delivers nothing in one of the directions.
    fileprivate var isDead: Bool {
        let conditions = conditions.withExplicitLoss
        return !isUsable || conditions.up.loss.mean == .one || conditions.down.loss.mean == .one
    }
}

extension Drain.Remainder {
    /// The numbers as sent in a message.
    var text: String { "\(connections) \(relayed) \(packets)" }

    /// Parses `text`.
    init?(_ numbers: ArraySlice<UInt64>) {
        let numbers = Array(numbers)
        guard numbers.count == 3, let connections = Int(exactly: numbers[0]),
            let relayed = Int(exactly: numbers[1])
        else { return nil }
        self.init(connections: connections, relayed: relayed, packets: numbers[2])
    }
}
