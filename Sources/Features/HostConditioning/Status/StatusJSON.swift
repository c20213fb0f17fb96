public import DataPlane
public import LinkModel
import LinkUnits
public import Multipath

/// The output of `status --json`. The keys are a stable interface: see
/// `Profiles/schema/status.schema.json`.
public struct StatusJSON: Encodable {
    let conditioned: [ConditionedJSON]
    let multipath: [MultipathJSON]

    /// Makes the object for conditioned interfaces and Multipath TCP connections.
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
    let version: String
    let backend: String
    @OrNull var seed: UInt64?
    @OrNull var faithful: Bool?
    let since: String
    @OrNull var until: String?
    @OrNull var untilExitOf: Int32?
    @OrNull var command: String?
    let selectors: [String]
    @OrNull var down: CountedDirectionJSON<CountersJSON>?
    @OrNull var up: CountedDirectionJSON<CountersJSON>?
    @OrNull var dns: ProfileJSON.DNS?
    @OrNull var problem: String?

    init(_ interface: ConditionedInterface) {
        version = ConditionsVersion(interface).text
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
        command = interface.command
        let counted = interface.directions.mapValues {
            CountedDirectionJSON($0.conditions, CountersJSON($0.counters))
        }
        (down, up) = (counted[.down], counted[.up])
        dns = interface.dnsDelay.map(ProfileJSON.DNS.init)
        problem = interface.problem
    }
}

/// The traffic of a direction.
public struct CountersJSON: Encodable {
    let packets: UInt64
    let bytes: UInt64
    let dropped: UInt64
    let lost: UInt64
    let queuedPackets: UInt64
    let bitsPerSecond: UInt64
    @OrNull var latenessMicroseconds: EngineCounters.Lateness?

    /// Makes the object for counters.
    public init(_ counters: DirectionCounters) {
        packets = counters.packets
        bytes = counters.bytes.bytes
        dropped = counters.dropped
        lost = counters.lost
        queuedPackets = counters.heldPackets
        bitsPerSecond = counters.bitsPerSecond
        latenessMicroseconds = counters.engine?.lateness
    }
}
