import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import PacketLoop

@testable import Explanation
@testable import Recording

/// A capture of packets that cross a simple link: a rate with a queue before it, and a delay.
struct CapturedRun {
    static let origin = Duration.seconds(1_700_000_000)

    /// Captures have times to the microsecond, and nobody answers earlier.
    static let reaction = Duration.microseconds(2)

    var bandwidth: Bandwidth?
    var delay: Duration
    /// How late each packet is.
    var lateness = Duration.zero
    private var free: [Direction: Duration] = [:]
    private var counts: [Direction: UInt64] = [:]
    private var packets: [(record: PacketRecord, frame: [UInt8])] = []

    init(bandwidth: Bandwidth? = nil, delay: Duration) {
        (self.bandwidth, self.delay) = (bandwidth, delay)
    }

    /// Sends an IPv4 packet, and returns when it arrives.
    @discardableResult
    mutating func send(
        _ direction: Direction, at time: Duration, _ transport: [UInt8], proto: UInt8,
        drop: Bool = false
    ) -> Duration {
        let length = 20 + transport.count
        let (source, destination) = direction == .up ? (1, 2) : (2, 1) as (UInt8, UInt8)
        let header: [UInt8] =
            [0x45, 0] + Self.word(length) + [0, 0, 0, 0, 64, proto, 0, 0]
            + [192, 0, 2, source, 192, 0, 2, destination]
        let frame = [UInt8](repeating: 2, count: 12) + [8, 0] + header + transport
        let start = max(time, free[direction] ?? .zero)
        let size = ByteCount(bytes: UInt64(length))
        let sent = start + (bandwidth?.serializationDelay(of: size) ?? .zero)
        free[direction] = sent
        counts[direction, default: 0] += 1
        var record = PacketRecord(
            direction: direction, number: counts[direction], arrival: time,
            departure: drop ? sent : sent + delay, length: size,
            fate: .judged(drop ? .lost : .delivered))
        (record.queueing, record.transmission) = (start - time, sent - start)
        record.lateness = lateness
        packets.append((record, frame))
        return sent + delay + lateness + Self.reaction
    }

    /// Sends a UDP datagram.
    @discardableResult
    mutating func udp(
        _ direction: Direction, at time: Duration, port: Int, to far: Int = 9, _ payload: [UInt8]
    ) -> Duration {
        let ports = direction == .up ? [port, far] : [far, port]
        let header = ports.flatMap(Self.word) + Self.word(8 + payload.count) + [0, 0]
        return send(direction, at: time, header + payload, proto: 17)
    }

    /// The capture file of all packets, in the order in which they left the link.
    func file(
        run: Range<Duration>? = nil, flaw: String? = nil
    ) throws -> [UInt8] {
        var buffer = try ByteBuffer(capacity: 8 << 20)
        let capture = Pcapng(origin: Self.origin)
        let host = Host(hardware: "", system: "", application: "linkcond test")
        Pcapng.appendSection(host, comment: "a run", to: &buffer)
        for name in ["up", "down"] {
            Pcapng.appendInterface(named: name, description: "", to: &buffer)
        }
        for (record, frame) in packets.sorted(by: { $0.record.departure < $1.record.departure }) {
            let comment = PacketEnd(record: record).comment(management: .dropTail)
            capture.appendPacket(record, frame: frame.span, comment: comment, to: &buffer)
        }
        for direction in [Direction.up, .down] {
            capture.appendStatistics(
                of: direction, at: .seconds(100), packets: 1, missing: 0, during: run, flaw: flaw,
                to: &buffer)
        }
        return buffer.bytes
    }

    /// The explanation of that file.
    func explanation(
        run: Range<Duration>? = nil, flaw: String? = nil
    ) throws -> Explanation {
        var explainer = try Explainer(try file(run: run, flaw: flaw), name: "test.pcapng")
        return try explainer.explain()
    }

    static func word(_ number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }
}

/// A TCP connection in a captured run, with both ends' positions.
struct ScriptedConnection {
    var port: Int
    var far = 8000
    var up = 1000
    var down = 5000

    /// Sends a segment, and returns when it arrives.
    @discardableResult
    mutating func send(
        _ direction: Direction, at time: Duration, _ payload: [UInt8] = [], flags: UInt8 = 0x10,
        window: Int = 60_000, drop: Bool = false, again: Int = 0, in run: inout CapturedRun
    ) -> Duration {
        let (own, other) = direction == .up ? (up, down) : (down, up)
        let ports = direction == .up ? [port, far] : [far, port]
        let long = { (number: Int) in
            CapturedRun.word(number >> 16) + CapturedRun.word(number)
        }
        let header =
            ports.flatMap(CapturedRun.word) + long(own - again) + long(other) + [0x50, flags]
            + CapturedRun.word(window) + [0, 0, 0, 0]
        let length = again > 0 ? 0 : payload.count + (flags & 0x03 != 0 ? 1 : 0)
        if direction == .up { up += length } else { down += length }
        return run.send(direction, at: time, header + payload, proto: 6, drop: drop)
    }

    /// Opens the connection, and returns when the client knows.
    ///
    /// - Parameter isLost: Whether the first packet is lost, and repeated after a second.
    mutating func open(
        at time: Duration, isLost: Bool = false, in run: inout CapturedRun
    ) -> Duration {
        var time = time
        if isLost {
            send(.up, at: time, flags: 0x02, drop: true, in: &run)
            up -= 1
            time += .seconds(1)
        }
        let first = send(.up, at: time, flags: 0x02, in: &run)
        let second = send(.down, at: first, flags: 0x12, in: &run)
        send(.up, at: second, in: &run)
        return second
    }

    /// Makes a request, with the server thinking before its response; returns when all of that has
    /// arrived.
    mutating func request(
        _ target: String, at time: Duration, bytes: Int, thinking: Duration = .zero,
        in run: inout CapturedRun
    ) -> Duration {
        let text = Array("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        var now = send(.up, at: time, text, in: &run) + thinking
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(bytes)\r\n\r\n".utf8)
        var rest = head + [UInt8](repeating: 120, count: bytes)
        let start = now
        while !rest.isEmpty {
            now = send(.down, at: start, Array(rest.prefix(1448)), in: &run)
            rest.removeFirst(min(1448, rest.count))
        }
        send(.up, at: now, in: &run)
        return now
    }
}
