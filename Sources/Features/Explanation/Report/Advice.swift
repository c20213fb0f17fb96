import LinkUnits
import LinuxKernel
import Middleboxes

/// Something to change, as the numbers of a run suggest, with the packets that show it.
public struct Advice: Sendable, Hashable {
    /// What it is about.
    public enum Topic: String, Sendable, CaseIterable, Codable {
        case refused, connectionsInSequence, noReuse, nameTwice, slowStartAfterIdle, receiveWindow
        case requestsInSequence
    }

    /// What it is about.
    public var topic: Topic
    /// What was seen and what to do, for people.
    public var text: String
    /// How much of the run it concerns.
    public var time: Duration
    /// Numbers of packets in the capture that show it.
    public var packets: [Int]

    /// Less is not worth a change.
    private static let least = 0.01
    private static let mostPackets = 20

    /// All advice for a run, the most worthwhile first.
    static func all(for run: Explanation) -> [Advice] {
        let all =
            refused(run) + connections(run) + names(run) + slowStarts(run) + windows(run)
            + requests(run)
        return all.sorted { ($1.time, $0.text) < ($0.time, $1.text) }
    }

    private static func isWorthwhile(_ time: Duration, in run: Explanation) -> Bool {
        time / run.duration >= least
    }

    // MARK: Connections

    private static func refused(_ run: Explanation) -> [Advice] {
        // Where something on the way refuses, listening helps nobody.
        let stopped = "\(PacketFate.Drop.stopped)"
        let refused = run.connections.filter { $0.isRefused && $0.drops[stopped] == nil }
        let peers = Dictionary(grouping: refused, by: \.far)
        return peers.compactMap { far, all in
            let time = all.flatMap(\.critical).map(\.length).reduce(.zero, +)
            guard isWorthwhile(time, in: run) else { return nil }
            let count = "\(all.count) connection\(all.count == 1 ? "" : "s")"
            return Advice(
                topic: .refused,
                text: "\(count) to \(far) \(all.count == 1 ? "was" : "were") refused: listen there"
                    + (far.address.isIPv6 && NAT64.ipv4(of: far.address) == nil
                        ? ", or give the name no IPv6 address," : "")
                    + " to save \(text(time))",
                time: time, packets: Array(all.map(\.firstPacket).prefix(mostPackets)))
        }
    }

    private static func connections(_ run: Explanation) -> [Advice] {
        let peers = Dictionary(
            grouping: run.connections.filter {
                $0.kind == .tcp && ($0.group ?? $0.index) == $0.index && !$0.isRefused
            }, by: \.far)
        // A connection may end long after the app has got all that it wanted.
        let answered = run.requests.reduce(into: [Int: Duration]()) { ends, request in
            guard let end = request.end else { return }
            ends[request.connection] = max(ends[request.connection] ?? .zero, end)
        }
        return peers.flatMap { far, all -> [Advice] in
            guard all.count >= 2 else { return [] }
            let later = all.dropFirst()
            let handshakes = later.reduce(Duration.zero) { sum, connection in
                sum
                    + connection.critical.filter {
                        [.tcpHandshake, .tlsHandshake].contains($0.kind.phase)
                    }.map(\.length).reduce(.zero, +)
            }
            guard isWorthwhile(handshakes, in: run) else { return [] }
            let followers = zip(all, later).filter {
                (answered[$0.index] ?? $0.end) <= $1.start + .milliseconds(50)
            }
            let name = all.compactMap(\.serverName).first ?? "\(far)"
            let packets = Array(all.map(\.firstPacket).prefix(mostPackets))
            if followers.count == later.count {
                let topic: Topic =
                    all.allSatisfy { $0.requests <= 1 } ? .noReuse : .connectionsInSequence
                return [
                    Advice(
                        topic: topic,
                        text: "\(all.count) connections to \(name), one after the other"
                            + (topic == .noReuse ? " with a request each" : "")
                            + ": keeping the first open saves \(text(handshakes)) of handshakes",
                        time: handshakes, packets: packets)
                ]
            }
            guard followers.count >= 1 else { return [] }
            return [
                Advice(
                    topic: .connectionsInSequence,
                    text: "\(all.count) connections to \(name), \(followers.count) of them opened "
                        + "after another had ended: reusing those saves up to \(text(handshakes)) of "
                        + "handshakes",
                    time: handshakes, packets: packets)
            ]
        }
    }

    // MARK: Names

    private static func names(_ run: Explanation) -> [Advice] {
        let share = run.shares[.nameResolution] ?? .zero
        return run.names.filter { $0.questions > 1 }.map { name in
            let asked = run.names.reduce(0) { $0 + $1.questions }
            let cost = share * Double(name.questions - 1) / Double(max(asked, 1))
            return Advice(
                topic: .nameTwice,
                text:
                    "\(name.name) (\(name.type)) was resolved \(name.questions) times: remembering "
                    + "the answer saves about \(text(cost))",
                time: cost, packets: name.packets.first)
        }
    }

    // MARK: Windows

    /// The initial window of Linux and others (RFC 6928).
    private static let initialWindow = 10 * 1460

    private static func slowStarts(_ run: Explanation) -> [Advice] {
        let byConnection = Dictionary(grouping: run.requests, by: \.connection)
        var (time, packets, count) = (Duration.zero, [Int](), 0)
        for requests in byConnection.values {
            var most = 0
            for request in requests {
                let wait = request.waits.filter { $0.kind.phase == .congestionWindow }
                    .map(\.length).reduce(.zero, +)
                // Linux forgets the window after a retransmission timeout, 200 ms at least.
                if request.idle >= .milliseconds(200), most > 2 * initialWindow,
                    wait > .zero, request.critical > .zero
                {
                    time += min(wait, request.critical)
                    count += 1
                    packets.append(request.packets.lowerBound)
                }
                most = max(most, request.mostInFlight)
            }
        }
        guard isWorthwhile(time, in: run) else { return [] }
        return [
            Advice(
                topic: .slowStartAfterIdle,
                text:
                    "\(count) \(count == 1 ? "request" : "requests") on idle connections began with "
                    + "a small window again, which cost \(text(time)): do not let the connection "
                    + "idle, or set net.ipv4.tcp_slow_start_after_idle=0 on the sender",
                time: time, packets: Array(packets.sorted().prefix(mostPackets)))
        ]
    }

    private static func windows(_ run: Explanation) -> [Advice] {
        let time = run.shares[.receiveWindow] ?? .zero
        guard isWorthwhile(time, in: run) else { return [] }
        let connections = run.connections.filter { connection in
            connection.critical.contains { $0.kind.cause == .receiveWindow }
        }
        let requests = run.requests.filter { request in
            request.waits.contains { $0.kind.cause == .receiveWindow }
        }
        let packets =
            requests.isEmpty
            ? connections.map(\.firstPacket) : requests.map(\.packets.lowerBound)
        return [
            Advice(
                topic: .receiveWindow,
                text: "the receive window was full for \(text(time)): read faster, or allow a "
                    + "larger receive buffer than bandwidth times round trip",
                time: time, packets: Array(packets.prefix(mostPackets)))
        ]
    }

    // MARK: Requests

    private static func requests(_ run: Explanation) -> [Advice] {
        let critical = run.requests.filter { $0.critical > .zero }
        let roundTrips = run.sequence.roundTrips
        guard critical.count >= 4, roundTrips / run.duration >= 0.1 else { return [] }
        return [
            Advice(
                topic: .requestsInSequence,
                text: "\(critical.count) requests one after the other spent \(text(roundTrips)) in "
                    + "round trips: make them at once, or combine them",
                time: roundTrips,
                packets: Array(critical.map(\.packets.lowerBound).prefix(mostPackets)))
        ]
    }

    private static func text(_ time: Duration) -> String { time.readableText }
}
