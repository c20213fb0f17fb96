import FoundationEssentials
public import LinkModel
import LinkUnits
public import PacketLoop

/// The traffic on the links of a run.
public struct LinkStatistics: Codable, Sendable, Hashable {
    /// The data plane: `engine` or `kernel`.
    public var backend: DataPlaneKind
    /// The seed that reproduces the fate of packets; nil if the kernel drew the random numbers.
    @OrNull public var seed: UInt64?
    /// How long the command ran.
    public var durationSeconds: Double
    /// Whether the link did exactly what the profile says; nil if unknown.
    @OrNull public var isFaithful: Bool?
    /// Why it did not, if the packet engine knows.
    @OrNull public private(set) var flaw: String?
    /// From the app to the network, over all interfaces.
    public var up: DirectionCounters
    /// From the network to the app, over all interfaces.
    public var down: DirectionCounters
    /// How often the app asked something of the network: sent data first on a connection or after
    /// it had received some, or used another pair of addresses and ports of UDP; nil with the kernel
    /// data plane.
    @OrNull public var requests: UInt64?
    /// The same for each interface, in the initial order of preference.
    public var interfaces: [InterfaceStatistics] = []
    /// The traffic on the command's loopback, up from client to server; nil if that was not
    /// conditioned.
    @OrNull public private(set) var loopback: LinkCounters?
    /// The use of Multipath TCP; nil for a run without it.
    @OrNull public var multipath: MultipathStatistics?
    /// What happened to data in flight when the command ended.
    public var drain = DrainStatistics()
    /// How many of the command's connections linkcond refused for lack of file descriptors.
    public var refusedConnections = 0
    /// Packets lost by the uplink; nil for a run without one.
    @OrNull public private(set) var uplink: UplinkLosses?
    /// The processor time of the command and of servers; nil if not requested.
    public private(set) var processor: ProcessorUse?
    /// The result of recording packets to files.
    public var recording: RecordingReport
    /// All links together over time, if requested.
    public var samples: [LinkSample] = []
    /// The command's network use while its path was constrained; nil if it never was, or if not
    /// counted.
    public var constrained: ConstrainedUse?
    /// What happened on the links without a scenario's doing, in its order.
    public var linkEvents: [EventRecord] = []
    /// All interfaces over time, with the scenario's events; nil for a run without a scenario.
    public var timeline: TimelineRecord?

    /// Makes statistics.
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

    /// Makes the statistics of several interfaces.
    ///
    /// - Parameters:
    ///   - duration: How long the command ran.
    ///   - interfaces: At least one.
    ///   - loops: The packet engine's counters; empty with the kernel data plane.
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
        if !loops.isEmpty { requests = loops.reduce(0) { $0 + $1.up.requests } }
    }

    /// Adds the traffic on the command's loopback.
    public mutating func add(loopback loop: LoopStatistics, duration: Duration) {
        loopback = loop.counters.averaged(over: duration)
        guard let note = Faithfulness(loop).note else { return }
        isFaithful = false
        flaw = flaw ?? note
    }

    /// Adds the uplink's losses.
    public mutating func add(uplink: UplinkLosses) {
        self.uplink = uplink
        if !uplink.isNone { isFaithful = false }
    }

    /// Adds the processor time of the command and of servers.
    public mutating func add(processor use: ProcessorUse, duration: Duration) {
        processor = use
        guard let note = use.note(duration: duration) else { return }
        isFaithful = false
        flaw = flaw ?? note
    }

    /// Decodes the output of `json`.
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
