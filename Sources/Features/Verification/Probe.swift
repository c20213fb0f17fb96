import LinkModel
public import LinuxKernel

/// One of the two programs that measure a link: it sends what the plan says and notes what comes.
public struct Probe {
    private let plan: ProbePlan
    private let role: Rendezvous.Role
    private let peer: (ipv4: IPAddress, ipv6: IPAddress)
    private let place: Rendezvous
    private var report = ProbeReport()

    /// How long one end waits for the other.
    private static let patience = Duration.seconds(20)

    /// Prepares `role` of the plan in `place`; the other end has the addresses `peer`.
    public init(
        _ role: Rendezvous.Role, peer: (ipv4: IPAddress, ipv6: IPAddress), place: Rendezvous
    ) throws(VerificationError) {
        self.role = role
        self.peer = peer
        self.place = place
        plan = try place.plan()
    }

    /// Measures, and leaves the report.
    public mutating func run() throws {
        KernelThread.makeCallingThreadPunctual(isPreferred: false)
        var exchange = try PacketExchange(plan, role: role, peer: peer)
        let streams = try StreamExchange(plan, role: role, peer: peer)
        let start = try place.meet(as: role, patience: Self.patience)
        try exchange.run(from: start)
        report = exchange.report
        try streams.run(from: start, into: &report)
        // Stragglers and what the other end still sends.
        try exchange.listen(until: start + plan.duration)
        // The other end may still open connections to the ports of this one.
        withExtendedLifetime(streams) {}
        report.arrivals = exchange.report.arrivals
        try place.write(report, of: role)
        if role == .app { try place.waitForReport(of: .far, patience: Self.patience) }
    }
}

extension Rendezvous.Role {
    /// The end at which packets of `direction` begin.
    static func sender(of direction: Direction) -> Rendezvous.Role {
        direction == .up ? .app : .far
    }
}
