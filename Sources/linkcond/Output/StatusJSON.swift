import Conditioner
import DataPlanes
import LinkModel
import LinkUnits

/// What `status --json` prints. The keys are a promise: see `Profiles/schema/status.schema.json`.
struct StatusJSON: Encodable {
    let conditioned: [ConditionedJSON]
    let multipath: [MultipathJSON]
}

/// One conditioned interface.
struct ConditionedJSON: Encodable {
    let interface: String
    let name: String
    let profile: String
    let backend: String
    let seed: OrNull<UInt64>
    let faithful: OrNull<Bool>
    let since: String
    let until: OrNull<String>
    let untilExitOf: OrNull<Int32>
    let selectors: [String]
    let down: OrNull<WayJSON>
    let up: OrNull<WayJSON>
    let dns: OrNull<ProfileJSON.DNS>
    let problem: OrNull<String>

    init(_ appliance: DataPlanes.Appliance) {
        let interface = appliance.interface
        backend = appliance.backend.rawValue
        seed = OrNull(appliance.seed)
        faithful = OrNull(appliance.isFaithful)
        self.interface = interface.interface
        name = interface.name
        selectors = interface.selectors
        profile = interface.profile
        since = Timestamp.text(interface.since)
        until = OrNull(interface.limit?.until.map(Timestamp.text))
        untilExitOf = OrNull(interface.limit?.process)
        down = OrNull(interface.ways[.down].map(WayJSON.init))
        up = OrNull(interface.ways[.up].map(WayJSON.init))
        dns = OrNull(interface.dnsDelay.map(ProfileJSON.DNS.init))
        problem = OrNull(interface.problem)
    }
}

/// The conditions of a direction with its counters beside them.
struct WayJSON: Encodable {
    private let conditions: DirectionJSON
    private let counters: CountersJSON

    init(_ way: ConditionedInterface.Way) {
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
