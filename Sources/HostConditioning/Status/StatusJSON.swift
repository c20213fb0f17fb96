public import DataPlane
import LinkModel
import LinkUnits
public import Multipath

/// What `status --json` prints. The keys are a promise: see `Profiles/schema/status.schema.json`.
public struct StatusJSON: Encodable {
    let conditioned: [ConditionedJSON]
    let multipath: [MultipathJSON]

    /// Writes what is conditioned, and the connections of Multipath TCP.
    public init(_ conditioned: [ConditionedInterface], _ connections: [MultipathConnection]) {
        self.conditioned = conditioned.map(ConditionedJSON.init)
        multipath = connections.map(MultipathJSON.init)
    }
}

/// One conditioned interface.
struct ConditionedJSON: Encodable {
    let interface: String
    let name: String
    let profile: String
    let backend: String
    @OrNull var seed: UInt64?
    @OrNull var faithful: Bool?
    let since: String
    @OrNull var until: String?
    @OrNull var untilExitOf: Int32?
    let selectors: [String]
    @OrNull var down: WayJSON?
    @OrNull var up: WayJSON?
    @OrNull var dns: ProfileJSON.DNS?
    @OrNull var problem: String?

    init(_ interface: ConditionedInterface) {
        backend = interface.plane.rawValue
        seed = interface.seed
        faithful = interface.isFaithful
        self.interface = interface.interface
        name = interface.name
        selectors = interface.selectors
        profile = interface.profile
        since = Timestamp.text(interface.since)
        until = interface.limit?.until.map(Timestamp.text)
        untilExitOf = interface.limit?.process
        down = interface.directions[.down].map(WayJSON.init)
        up = interface.directions[.up].map(WayJSON.init)
        dns = interface.dnsDelay.map(ProfileJSON.DNS.init)
        problem = interface.problem
    }
}

/// The conditions of a direction with its counters beside them.
struct WayJSON: Encodable {
    private let conditions: DirectionJSON
    private let counters: CountersJSON

    init(_ way: ConditionedDirection) {
        conditions = DirectionJSON(way.conditions)
        counters = CountersJSON(way.counters)
    }

    func encode(to encoder: any Encoder) throws {
        try conditions.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(counters, forKey: .counters)
    }

    private enum CodingKeys: CodingKey { case counters }
}

/// What went through a direction.
struct CountersJSON: Encodable {
    let packets: UInt64
    let bytes: UInt64
    let dropped: UInt64
    let lost: UInt64
    let queuedPackets: UInt64
    let bitsPerSecond: UInt64

    init(_ counters: DirectionCounters) {
        packets = counters.packets
        bytes = counters.bytes.bytes
        dropped = counters.dropped
        lost = counters.lost
        queuedPackets = counters.heldPackets
        bitsPerSecond = counters.bitsPerSecond
    }
}
