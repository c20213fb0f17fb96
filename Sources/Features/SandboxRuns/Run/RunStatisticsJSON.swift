public import FoundationEssentials
import LinkModel
import LinkUnits
import LinuxKernel
import NetworkPath
public import Recording
public import Sandbox
import Scenarios

/// The output of `run --stats`. The keys are a stable interface: see
/// `Profiles/schema/statistics.schema.json`.
public struct RunStatisticsJSON: Encodable {
    let linkcond: String
    let profile: String
    @OrNull var scenario: String?
    let settings: [String]
    let command: [String]
    let exitCode: Int32
    let startedAt: String
    let durationSeconds: Double
    let backend: DataPlaneKind
    let kernel: String
    @OrNull var seed: UInt64?
    @OrNull var faithful: Bool?
    @OrNull var flaw: String?
    @OrNull var requests: UInt64?
    let down: CountedDirectionJSON<DirectionCounters>
    let up: CountedDirectionJSON<DirectionCounters>
    @OrNull var dns: ProfileJSON.DNS?
    let interfaces: [Interface]
    @OrNull var loopback: LinkCounters?
    @OrNull var multipath: MultipathStatistics?
    let drain: DrainStatistics
    let refusedConnections: Int
    @OrNull var uplink: UplinkLosses?
    let events: [EventRecord]
    let evidence: RecordingReport

    /// Makes the object for a run by this version of linkcond.
    public init(
        _ request: SandboxRequest, settings: [String], startedAt: Date, exitCode: Int32,
        link: LinkStatistics, version: String
    ) {
        linkcond = version
        profile = request.preferred.profile
        scenario = request.scenario?.scenario.name
        self.settings = settings
        command = request.command.map { "\($0)" }
        self.exitCode = exitCode
        self.startedAt = startedAt.formatted(.iso8601)
        durationSeconds = link.durationSeconds
        backend = link.backend
        let release = try? SmallFile.read("/proc/sys/kernel/osrelease")
        kernel = release?.split(separator: "\n").first.map(String.init) ?? "unknown"
        seed = link.seed
        faithful = link.isFaithful
        flaw = link.flaw
        requests = link.requests
        let conditions = request.preferred.conditions.withExplicitLoss
        down = CountedDirectionJSON(conditions.down, link.down)
        up = CountedDirectionJSON(conditions.up, link.up)
        dns = conditions.dnsDelay.map(ProfileJSON.DNS.init)
        interfaces = zip(request.interfaces, link.interfaces).map(Interface.init)
        loopback = link.loopback
        multipath = link.multipath
        drain = link.drain
        refusedConnections = link.refusedConnections
        uplink = link.uplink
        events = link.timeline?.events ?? link.linkEvents
        evidence = link.recording
    }

    /// An interface with its initial conditions and its traffic.
    struct Interface: Encodable {
        let name: String
        let kind: String
        let profile: String
        let down: CountedDirectionJSON<DirectionCounters>
        let up: CountedDirectionJSON<DirectionCounters>
        @OrNull var dns: ProfileJSON.DNS?

        init(_ interface: SandboxInterface, _ link: InterfaceStatistics) {
            let conditions = interface.conditions.withExplicitLoss
            name = interface.name
            kind = interface.mark.kindInSandbox.rawValue
            profile = interface.profile
            down = CountedDirectionJSON(conditions.down, link.down)
            up = CountedDirectionJSON(conditions.up, link.up)
            dns = conditions.dnsDelay.map(ProfileJSON.DNS.init)
        }
    }
}
