import Conditioner
import Evidence
import LinkModel
import LinkUnits
import LinuxKernel
import Netlink
import PacketLoop

/// What conditions the wire between the app and the far side.
enum LinkPlane {
    case kernel(Conditioner)
    case engine(EmulatedLink)

    /// Which it is.
    var kind: Sandbox.DataPlane {
        switch self {
        case .kernel: .kernel
        case .engine: .engine
        }
    }

    /// Conditions the wire in the calling thread's namespace, which is the link's.
    ///
    /// Also returns what the user may want to know of the choice.
    static func start(_ request: SandboxRequest) throws -> (LinkPlane, explanation: String) {
        switch request.backend {
        case .kernel:
            return (.kernel(try condition(request)), "kernel data plane, as asked for")
        case .engine:
            return try emulate(request, "as asked for")
        case .auto:
            if let reason = request.engineReason { return try emulate(request, reason) }
            // Asking is quick; trying, failing and taking back is not.
            if try FeatureProbe.finds(missing: .netem) {
                return try emulate(request, "this kernel has no netem")
            }
            do {
                return (.kernel(try condition(request)), "kernel data plane")
            } catch let error as ConditionerError {
                return try emulate(request, "\(error)")
            }
        }
    }

    private static func emulate(
        _ request: SandboxRequest, _ reason: String
    ) throws -> (LinkPlane, explanation: String) {
        let link = try EmulatedLink(request)
        return (
            .engine(link), "packet engine: \(reason); --seed \(link.seed) repeats what it loses"
        )
    }

    /// A switch joins the ends, and qdiscs condition what crosses the far one, both ways.
    private static func condition(_ request: SandboxRequest) throws -> Conditioner {
        let session = try NetlinkSession()
        try session.executeAll(SandboxNetwork.bridgeMessages)
        do {
            let conditioner = try Conditioner(environment: [:])
            try conditioner.applyTransiently(
                ApplyRequest(
                    conditions: request.conditions, profile: request.profile,
                    interfaces: [SandboxNetwork.farEnd.name], now: 0))
            return conditioner
        } catch {
            // The packet engine, if it comes next, wants the ends for itself.
            try session.executeAll([Link.delete(index: SandboxNetwork.bridge.index)])
            throw error
        }
    }

    /// What has passed until now; nil if nobody knows.
    var snapshot: LinkSnapshot? {
        switch self {
        case .engine(let link):
            return link.snapshot
        case .kernel(let conditioner):
            guard let ways = (try? conditioner.status())?.first?.ways else { return nil }
            return LinkSnapshot(
                up: LinkSnapshot.Way(ways[.up]?.counters),
                down: LinkSnapshot.Way(ways[.down]?.counters))
        }
    }

    /// How often the command has opened a connection, sent data or asked for an echo; nil if
    /// nobody counts.
    var requests: UInt64? {
        if case .engine(let link) = self { link.requests } else { nil }
    }

    /// What is known of a link when the command has ended.
    struct End {
        /// What passed over it, if that was asked for.
        var statistics: LinkStatistics?
        /// What the packet engine counted.
        var loops: [LoopStatistics] = []
        /// What the user should know of the files.
        var fileNotes: [String] = []

        /// What the user should know.
        var notes: [String] { [Faithfulness(loops).note].compactMap(\.self) + fileNotes }

        /// Adds what passed over the loopback.
        mutating func add(loopback loop: PacketLoop, after duration: Duration) {
            let counted = loop.statistics
            loops.append(counted)
            statistics?.add(loopback: counted, duration: duration)
        }
    }

    /// Counts what has passed, and ends what is written down.
    ///
    /// - Parameter duration: how long the command ran.
    func finish(_ request: SandboxRequest, after duration: Duration) throws -> End {
        switch self {
        case .engine(let link):
            return link.finish(after: duration)
        case .kernel(let conditioner):
            guard request.evidence.wantsStatistics else { return End() }
            let ways = try conditioner.status().first?.ways ?? [:]
            return End(
                statistics: LinkStatistics(
                    backend: "kernel", seed: nil, duration: duration, isFaithful: nil,
                    up: WayCounters(ways[.up]?.counters, duration: duration),
                    down: WayCounters(ways[.down]?.counters, duration: duration)))
        }
    }
}

extension WayCounters {
    /// Takes over what qdiscs counted; a direction without any has passed nothing.
    fileprivate init(_ counters: DirectionCounters?, duration: Duration) {
        self.init(
            packets: counters?.packets ?? 0, bytes: ByteCount(bytes: counters?.bytes ?? 0),
            dropped: counters?.dropped ?? 0, lost: counters?.lost ?? 0,
            queuedPackets: counters?.queuedPackets ?? 0, duration: duration)
    }
}

extension LinkSnapshot.Way {
    /// Takes over what qdiscs counted, who measure no delay.
    fileprivate init(_ counters: DirectionCounters?) {
        self.init(
            packets: counters?.packets ?? 0, bytes: ByteCount(bytes: counters?.bytes ?? 0),
            dropped: counters?.dropped ?? 0, lost: counters?.lost ?? 0,
            queuedPackets: counters?.queuedPackets ?? 0, timeOnLink: nil)
    }
}

extension SandboxRequest {
    /// Why only the packet engine will do; nil if the kernel may.
    public var engineReason: String? {
        if evidence.wantsPackets { return "the kernel does not tell what it does to which packet" }
        if conditions.up.trace != nil || conditions.down.trace != nil {
            return "the kernel plays no delivery traces"
        }
        if conditions.up.jitter != nil || conditions.down.jitter != nil {
            return "netem's jitter grows with the number of packets"
        }
        return seed == nil ? nil : "the kernel does not take a seed"
    }
}
