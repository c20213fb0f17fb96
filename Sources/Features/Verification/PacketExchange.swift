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

    init(
        _ plan: ProbePlan, role: Rendezvous.Role, peer: (ipv4: IPAddress, ipv6: IPAddress)
    ) throws {
        for (index, flow) in plan.flows.enumerated() {
            if Rendezvous.Role.sender(of: flow.direction) == role {
                let address = flow.family == .ipv4 ? peer.ipv4 : peer.ipv6
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
        private var socket: ProbeReceiver
        let index: Int
        let descriptor: FileDescriptor

        init(_ flow: ProbePlan.Flow, index: Int) throws(KernelError) {
            socket = try ProbeReceiver(port: flow.port, isIPv6: flow.family == .ipv6)
            self.index = index
            descriptor = socket.descriptor
        }

        func receive(into arrivals: inout ProbeReport.Arrivals) throws(KernelError) -> Int {
            let count = try socket.receive { payload, received in
                // Nothing is in what neighbours find each other by.
                guard !payload.isEmpty else { return }
                guard let head = ProbeHead(payload) else {
                    arrivals.damaged += 1
                    return
                }
                arrivals.numbers.append(head.number)
                arrivals.sent.append(Int64(clamping: head.sent.wholeNanoseconds))
                arrivals.received.append(Int64(clamping: received.wholeNanoseconds))
            }
            if count > 0 { arrivals.overflows = Int(clamping: socket.dropped) }
            return count
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
    private let socket: ProbeSender
    /// What is sent; but for the head of each probe it stays as it is.
    private var payload: [UInt8]
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

    init(_ flow: ProbePlan.Flow, index: Int, to address: IPAddress) throws(KernelError) {
        self.flow = flow
        self.index = index
        socket = try ProbeSender(to: Endpoint(address, port: flow.port))
        payload = [UInt8](repeating: 0, count: max(flow.payload, ProbeHead.byteCount))
    }

    /// Has neighbours find each other, with a packet that does not count.
    func greet() throws(KernelError) {
        _ = try socket.send([])
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
        ProbeHead(number: UInt32(sent), sent: KernelClock.monotonic).write(to: &payload)
        guard try socket.send(payload) else {
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
