import Conditioner
import Evidence
import LinkModel
import LinuxKernel
import Netlink
import PacketLoop

/// What conditions a wire between the app and the far side.
enum LinkPlane {
    /// Qdiscs at one of its ends.
    case kernel(Conditioner, end: String)
    case engine(EmulatedLink)

    /// What all wires of a sandbox are conditioned by.
    struct Choice {
        /// For each wire.
        var planes: [LinkPlane]
        /// Which it is.
        var kind: Sandbox.DataPlane
        /// What the user may want to know of the choice.
        var explanation: String
        /// What writes the packets down, if that was asked for.
        var recorder: EvidenceRecorder?
    }

    /// Conditions the wires in the calling thread's namespace, which is the link's.
    static func start(_ request: SandboxRequest, _ wires: [Wire]) throws -> Choice {
        switch request.backend {
        case .kernel:
            return try condition(request, wires, "kernel data plane, as asked for")
        case .engine:
            return try emulate(request, wires, "as asked for")
        case .auto:
            if let reason = request.engineReason { return try emulate(request, wires, reason) }
            // Asking is quick; trying, failing and taking back is not.
            if try FeatureProbe.finds(missing: .netem) {
                return try emulate(request, wires, "this kernel has no netem")
            }
            do {
                return try condition(request, wires, "kernel data plane")
            } catch let error as ConditionerError {
                return try emulate(request, wires, "\(error)")
            }
        }
    }

    private static func emulate(
        _ request: SandboxRequest, _ wires: [Wire], _ reason: String
    ) throws -> Choice {
        let clock = LoopClock.startingNow()
        let recorder = try request.recorder(clock)
        let planes = try zip(wires, request.interfaces).map { wire, interface in
            LinkPlane.engine(
                try EmulatedLink(
                    wire, interface.conditions, traces: request.traces[interface.conditions],
                    seed: request.chance(ofWire: wire.number), clock: clock,
                    observer: recorder?.observer(ofLink: max(0, wire.number - 1))))
        }
        return Choice(
            planes: planes, kind: .engine,
            explanation: "packet engine: \(reason); --seed \(request.chance) repeats what it loses",
            recorder: recorder)
    }

    /// A switch joins the ends of a wire, and qdiscs condition what crosses the far one, both ways.
    private static func condition(
        _ request: SandboxRequest, _ wires: [Wire], _ explanation: String
    ) throws -> Choice {
        let session = try NetlinkSession()
        try session.executeAll(wires.flatMap(SandboxNetwork.bridgeMessages))
        do {
            let conditioner = try Conditioner(environment: [:])
            try conditioner.applyTransiently(
                zip(wires, request.interfaces).map { wire, interface in
                    ApplyRequest(
                        conditions: interface.conditions, profile: interface.profile,
                        interfaces: [wire.farEnd.name], now: 0)
                })
            return Choice(
                planes: wires.map { .kernel(conditioner, end: $0.farEnd.name) }, kind: .kernel,
                explanation: explanation)
        } catch {
            // The packet engine, if it comes next, wants the ends for itself.
            try session.executeAll(wires.map { Link.delete(index: $0.bridge.index) })
            throw error
        }
    }

    /// Changes the conditions; what is on the link stays on it.
    func change(to conditions: LinkConditions, profile: String, traces: LinkTraces) throws {
        switch self {
        case .engine(let link):
            link.change(to: conditions, traces: traces)
        case .kernel(let conditioner, let end):
            try conditioner.applyTransiently([
                ApplyRequest(
                    conditions: conditions, profile: profile, interfaces: [end], replaces: true,
                    now: 0)
            ])
        }
    }

    /// Says whether anybody is at the app's end. The kernel knows by itself.
    func setConnected(_ isConnected: Bool) {
        if case .engine(let link) = self { link.setConnected(isConnected) }
    }

    /// What has passed until now; nothing in a direction without conditions.
    var counters: LinkCounters {
        get throws {
            switch self {
            case .engine(let link):
                return link.statistics.counters
            case .kernel(let conditioner, let end):
                let ways = try conditioner.status().first { $0.interface == end }?.ways ?? [:]
                return LinkCounters(
                    up: ways[.up]?.counters ?? DirectionCounters(),
                    down: ways[.down]?.counters ?? DirectionCounters())
            }
        }
    }

    /// How often the app has opened a connection, sent data or asked for an echo; nil if nobody
    /// counts.
    var requests: UInt64? { loop?.up.requests }

    /// What the packet engine counted; nil if it is not at work.
    var loop: LoopStatistics? {
        if case .engine(let link) = self { link.statistics } else { nil }
    }

    /// How many packets toward the network have come to the link and not left it yet.
    var packetsUnderWay: UInt64 {
        switch self {
        case .engine(let link): link.packetsUnderWay
        case .kernel: (try? counters.up.heldPackets) ?? 0
        }
    }

    /// Has the packet engine carry nothing any more.
    func stop() {
        if case .engine(let link) = self { link.stop() }
    }
}

extension SandboxRequest {
    /// Why only the packet engine will do; nil if the kernel may.
    public var engineReason: String? {
        if evidence.wantsPackets { return "the kernel does not tell what it does to which packet" }
        let conditions = interfaces.map(\.conditions) + laterConditions
        if let reason = conditions.compactMap(\.engineReason).first { return reason }
        return seed == nil ? nil : "the kernel does not take a seed"
    }

    /// What decides the fate of the packets on a wire: not the same on each of several.
    fileprivate func chance(ofWire number: Int) -> UInt64 {
        chance &+ UInt64(number) &* 0x9e37_79b9_7f4a_7c15
    }

    /// What writes the packets down, if that is asked for.
    fileprivate func recorder(_ clock: LoopClock) throws -> EvidenceRecorder? {
        guard evidence.wantsPackets else { return nil }
        let words = command.map { "\($0)" }.joined(separator: " ")
        let profiles = interfaces.map {
            interfaces.count == 1 ? $0.profile : "\($0.name) \($0.profile)"
        }
        let recorder = try EvidenceRecorder(
            evidence, clock: clock,
            remark: "\(profiles.joined(separator: ", ")), seed \(chance): \(words)")
        try recorder.start()
        return recorder
    }
}
