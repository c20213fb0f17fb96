import LinkModel
import LinuxKernel

/// A firewall in virtual time.
struct FirewallStage: Sendable {
    /// A TCP connection, by the app's end and the network's.
    private struct Connection: Hashable, Sendable {
        var app: Endpoint
        var network: Endpoint
    }

    private(set) var rules: Firewall
    /// The connections seen, of which the forgotten ones are known too, so that nobody mistakes
    /// their packets for those of a connection that was there before the firewall.
    private var connections: RecencyTable<Connection, Void>

    init(_ rules: Firewall, capacity: Int) {
        self.rules = rules
        connections = RecencyTable(capacity: capacity)
    }

    /// The number of connections that it knows.
    var connectionCount: Int { connections.count }

    /// Changes the rules; connections that it knows stay known.
    mutating func change(to rules: Firewall) { self.rules = rules }

    /// Why a packet does not pass; nil if it does.
    mutating func obstacle(
        to packet: PacketFields, _ direction: Direction, at now: Duration
    ) -> MiddleboxDrop? {
        guard passes(packet, direction) else { return .blocked }
        guard let timeout = rules.tcpTimeout, packet.transport == IPProtocol.tcp,
            packet.transportOffset != nil
        else { return nil }
        let connection = Connection(
            app: direction == .up ? packet.source : packet.target,
            network: direction == .up ? packet.target : packet.source)
        if let last = connections.time(of: connection), now - last > timeout, !packet.opensTCP {
            return .forgotten
        }
        if connections.isFull, connections.time(of: connection) == nil,
            let oldest = connections.oldest
        {
            connections.remove(oldest.key)
        }
        connections.set((), for: connection, at: now)
        return nil
    }

    private func passes(_ packet: PacketFields, _ direction: Direction) -> Bool {
        func matches(_ kinds: [TrafficKind]) -> Bool {
            kinds.contains { $0.includes(packet, direction) }
        }
        guard rules.allow.isEmpty else {
            return packet.isDNS(direction) || matches(rules.allow)
        }
        return !matches(rules.block)
    }
}

extension PacketFields {
    /// The port on the network's side.
    fileprivate func networkPort(_ direction: Direction) -> UInt16 {
        direction == .up ? target.port : source.port
    }

    fileprivate func isDNS(_ direction: Direction) -> Bool {
        [IPProtocol.tcp, IPProtocol.udp].contains(transport) && networkPort(direction) == 53
    }
}

extension TrafficKind {
    /// Whether a packet is of this kind. Later fragments have no ports.
    fileprivate func includes(_ packet: PacketFields, _ direction: Direction) -> Bool {
        let port = packet.networkPort(direction)
        var hasPort: Bool {
            guard let firstPort, let lastPort else { return false }
            return packet.transportOffset != nil && firstPort <= port && port <= lastPort
        }
        switch transport {
        case .tcp: return packet.transport == IPProtocol.tcp && (firstPort == nil || hasPort)
        case .udp:
            guard packet.transport == IPProtocol.udp else { return false }
            return firstPort == nil ? port != 53 : hasPort
        case .icmp: return [IPProtocol.icmp, IPProtocol.icmpv6].contains(packet.transport)
        case .quic:
            return packet.transport == IPProtocol.udp && (port == 443 || packet.opensQUIC)
        }
    }
}
