import FoundationEssentials
public import LinkModel
import LinkUnits
public import PacketLoop

/// What passed over the link of a run.
public struct LinkStatistics: Codable, Sendable, Hashable {
    /// What carried out the conditions: `engine` or `kernel`.
    public var backend: DataPlaneKind
    /// With which the same packets meet the same fate; nil where the kernel rolled the dice.
    @OrNull public var seed: UInt64?
    /// How long the command ran.
    public var durationSeconds: Double
    /// Whether the link did what the profile says and nothing else; nil where nobody knows.
    @OrNull public var isFaithful: Bool?
    /// Why it did not, if the packet engine knows.
    @OrNull public private(set) var flaw: String?
    /// From the app to the network, by all interfaces together.
    public var up: DirectionCounters
    /// From the network to the app, by all interfaces together.
    public var down: DirectionCounters
    /// The same by each interface, the one first that was preferred first.
    public var interfaces: [InterfaceStatistics] = []
    /// What passed over the loopback of the command, up from who asks to who answers; nil if that
    /// was not conditioned.
    @OrNull public private(set) var loopback: LinkCounters?
    /// What became of TCP connections with Multipath TCP; nil for a run without.
    @OrNull public var multipath: MultipathStatistics?
    /// What became of what was under way when the command ended.
    public var drain = DrainStatistics()
    /// How many connections of the command linkcond refused, having no descriptors left for them.
    public var refusedConnections = 0
    /// What the uplink lost; nil for a run without.
    @OrNull public private(set) var uplink: UplinkLosses?
    /// What became of the files in which packets were written down.
    public var recording: RecordingReport
    /// All links together over time, if that was asked for.
    public var samples: [LinkSample] = []
    /// What the command asked while its path was constrained; nil if it never was, or if nobody
    /// counted.
    public var constrained: ConstrainedUse?
    /// All interfaces over time, with what was done to them; nil for a run without a scenario.
    public var timeline: TimelineRecord?

    /// Gathers what is known.
    public init(
        backend: DataPlaneKind, seed: UInt64?, duration: Duration, isFaithful: Bool?,
        counters: LinkCounters, recording: RecordingReport = RecordingReport()
    ) {
        self.backend = backend
        _seed = OrNull(wrappedValue: seed)
        durationSeconds = duration.seconds
        _isFaithful = OrNull(wrappedValue: isFaithful)
        up = counters.up
        down = counters.down
        self.recording = recording
    }

    /// Gathers what is known of interfaces.
    ///
    /// - Parameters:
    ///   - duration: how long the command ran.
    ///   - interfaces: at least one.
    ///   - loops: what the packet engine counted; none where the kernel was at work.
    public init(
        backend: DataPlaneKind, seed: UInt64?, duration: Duration,
        interfaces: [InterfaceStatistics],
        loops: [LoopStatistics], recording: RecordingReport = RecordingReport()
    ) {
        self.init(
            backend: backend, seed: seed, duration: duration,
            isFaithful: loops.isEmpty ? nil : Faithfulness(loops).isGiven,
            counters: interfaces.dropFirst().reduce(interfaces[0].counters) { $0 + $1.counters },
            recording: recording)
        self.interfaces = interfaces
        flaw = Faithfulness(loops).note
    }

    /// Adds what passed over the loopback of the command.
    public mutating func add(loopback loop: LoopStatistics, duration: Duration) {
        loopback = loop.counters.averaged(over: duration)
        guard let note = Faithfulness(loop).note else { return }
        isFaithful = false
        flaw = flaw ?? note
    }

    /// Adds what the uplink lost.
    public mutating func add(uplink: UplinkLosses) {
        self.uplink = uplink
        if !uplink.isNone { isFaithful = false }
    }

    /// Reads what `json` has written.
    public init(json: String) throws {
        self = try JSONDecoder().decode(LinkStatistics.self, from: Data(json.utf8))
    }

    /// The statistics as JSON.
    public func json() throws -> String {
        String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    }
}

extension Duration {
    /// The length in seconds.
    var seconds: Double { self / .seconds(1) }
}
