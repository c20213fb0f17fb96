import LinkUnits
import LinuxKernel
import SystemPackage

/// The UDP part of a probe: one thread that sends when the plan says so and receives in between.
///
/// Receiving may be late, since the kernel notes the time of arrival; sending must not.
struct PacketExchange {
    private var senders: [FlowSender] = []
    private var receivers = Receivers()
    private(set) var report = ProbeReport()

    /// A probe by which neighbours find each other, and which does not count.
    static let greeting = UInt32.max

    init(
        _ plan: ProbePlan, role: Rendezvous.Role, peer: [InternetFamily: String]
    ) throws {
        for (index, flow) in plan.flows.enumerated() {
            if Rendezvous.Role.sender(of: flow.direction) == role {
                guard let address = peer[flow.family] else { continue }
                senders.append(try FlowSender(flow, index: index, to: address))
            } else {
                report.arrivals[index] = .init()
                guard let obstacle = receivers.open(flow, index: index) else { continue }
                // An ordinary user may be refused the port of DNS; the rest goes on without.
                guard flow.purpose == .dns else { throw VerificationError(obstacle) }
                report.obstacles[index] = obstacle
            }
        }
        senders.sort { $0.flow.start < $1.flow.start }
    }

    /// Sends all flows, the first of which begins at its time after `start`.
    mutating func run(from start: Duration) throws {
        var greeted: Set<InternetFamily> = []
        for sender in senders where greeted.insert(sender.flow.family).inserted {
            try sender.greet()
        }
        for index in senders.indices {
            let begin = start + senders[index].flow.start
            try listen(until: begin)
            try send(index, from: begin)
            report.sent[senders[index].index] = senders[index].sent
            report.offered[senders[index].index] = senders[index].packetsPerSecond
            report.heldUp[senders[index].index] = senders[index].heldUp
            report.lateness[senders[index].index] = senders[index].lateness
        }
    }

    /// Receives until `deadline`, by `KernelClock.monotonic`.
    mutating func listen(until deadline: Duration) throws {
        while Readiness.wait(for: receivers.descriptors, until: deadline) {
            try receivers.receive(into: &report)
        }
    }

    private mutating func send(_ index: Int, from begin: Duration) throws {
        while let due = senders[index].due(from: begin) {
            // An overloaded sender has no pause; but arrivals must not pile up either.
            let isLate = KernelClock.monotonic >= due
            if !isLate || senders[index].sent.isMultiple(of: 32),
                Readiness.wait(for: receivers.descriptors, until: due)
            {
                try receivers.receive(into: &report)
            }
            if isLate || KernelClock.monotonic >= due { try senders[index].send(due, from: begin) }
        }
    }
}

/// The sockets that take packets.
private struct Receivers {
    /// Sockets cannot be in an array: they have one owner.
    private final class Owner {
        private var socket: ProbeSocket
        let index: Int
        let descriptor: FileDescriptor

        init(_ flow: ProbePlan.Flow, index: Int) throws(KernelError) {
            socket = try ProbeSocket(flow.family, port: flow.port)
            self.index = index
            descriptor = socket.fileDescriptor
        }

        func receive(into arrivals: inout ProbeReport.Arrivals) throws(KernelError) -> Int {
            let probes = try socket.receive()
            for probe in probes where probe.number != PacketExchange.greeting {
                guard probe.isIntact else {
                    arrivals.damaged += 1
                    continue
                }
                arrivals.numbers.append(probe.number)
                arrivals.sent.append(probe.sent.nanoseconds)
                arrivals.received.append(probe.received.nanoseconds)
            }
            arrivals.overflows = Int(socket.overflows)
            return probes.count
        }
    }

    private var owners: [Owner] = []
    private(set) var descriptors: [FileDescriptor] = []

    /// Opens a socket for a flow; returns why that cannot be, if so.
    mutating func open(_ flow: ProbePlan.Flow, index: Int) -> String? {
        do {
            let owner = try Owner(flow, index: index)
            owners.append(owner)
            descriptors.append(owner.descriptor)
            return nil
        } catch {
            return error.description
        }
    }

    /// Takes what has arrived at any socket.
    func receive(into report: inout ProbeReport) throws(KernelError) {
        for owner in owners {
            while try owner.receive(into: &report.arrivals[owner.index, default: .init()]) > 0 {}
        }
    }
}

/// A flow that is sent.
private final class FlowSender {
    let flow: ProbePlan.Flow
    let index: Int
    private let socket: ProbeSocket
    private(set) var sent = 0
    private var segment = 0
    private var sentOfSegment = 0
    /// From the beginning of the flow to that of its segment.
    private var before = Duration.zero
    private var segmentBegan = Duration.zero
    private var lastSent = Duration.zero
    /// How long the machine kept the segment from being sent, in noticeable pieces.
    private var heldUpTime = Duration.zero
    /// By how much each packet was sent later than planned, in milliseconds.
    private var latenesses: [Double] = []
    /// How much later than planned the next packet is due.
    private var slip = Duration.zero

    /// A sender that the machine holds up this much longer than planned gives up the rest.
    private static let grace = Duration.milliseconds(300)
    /// A pause from which on it is one.
    private static let noticeable = Duration.milliseconds(2)

    init(_ flow: ProbePlan.Flow, index: Int, to address: String) throws(KernelError) {
        self.flow = flow
        self.index = index
        socket = try ProbeSocket(flow.family)
        try socket.connect(to: address, port: flow.port)
    }

    func greet() throws(KernelError) {
        _ = try socket.send(PacketExchange.greeting, payload: flow.payload)
    }

    /// When the next packet is to be sent; nil when all are.
    func due(from begin: Duration) -> Duration? {
        if sentOfSegment == flow.segments[segment].count {
            guard segment + 1 < flow.segments.count else { return nil }
            before += flow.segments[segment].duration
            segment += 1
            heldUpTime = .zero
            sentOfSegment = 0
        }
        let due = begin + before + flow.segments[segment].interval * sentOfSegment + slip
        return due > begin + flow.duration + Self.grace ? nil : due
    }

    /// Sends the packet that was due then.
    func send(_ due: Duration, from begin: Duration) throws(KernelError) {
        guard try socket.send(UInt32(sent), payload: flow.payload) else {
            // No room at present: the same packet a little later.
            slip += .milliseconds(1)
            return
        }
        let now = KernelClock.monotonic
        if sentOfSegment == 0 {
            segmentBegan = now
        } else {
            let delay = now - lastSent - flow.segments[segment].interval
            if delay > Self.noticeable { heldUpTime += delay }
        }
        lastSent = now
        latenesses.append((now - due).milliseconds)
        sent += 1
        sentOfSegment += 1
        // Packets made up for would stand in each other's way.
        if !flow.catchesUp { slip += max(.zero, lastSent - due - .microseconds(200)) }
    }

    /// The share of the last segment's time during which nothing could be sent.
    var heldUp: Double? {
        lastSent > segmentBegan ? heldUpTime / (lastSent - segmentBegan) : nil
    }

    /// Later than that, in milliseconds, a quarter of the packets were sent.
    var lateness: Double? { Statistics.percentile(0.75, of: latenesses) }

    /// How fast the last segment was in fact sent; nil for fewer than two packets.
    var packetsPerSecond: Double? {
        sentOfSegment > 1 && lastSent > segmentBegan
            ? Double(sentOfSegment - 1) / (lastSent - segmentBegan).seconds : nil
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
