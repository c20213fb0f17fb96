import DataPlane
import LinkModel
import LinkUnits
import NetworkPath
import Override

/// A line of `HostFeed`: what the panel shows. The keys follow those of `status --json`, `path
/// --json` and `override show --json`.
struct HostFeedJSON: Encodable {
    /// By a clock that never jumps.
    let atMilliseconds: Double
    /// Since 1970, by the clock of `until`.
    let dateSeconds: Double
    let interfaces: [Interface]
    let overrides: [OverrideJSON]
    let conditioned: [ConditionedJSON]
    let measured: [Measured]
    let programs: [OngoingProgram]

    /// What changes seldom.
    struct Host {
        var interfaces: [Interface] = []
        var overrides: [OverrideJSON] = []

        init() {}

        init(path: NetworkPath, overrides: [OverriddenInterface]) {
            interfaces = path.interfaces.map {
                Interface($0, isUsed: path.interfacesInUse.contains($0))
            }
            self.overrides = overrides.map(OverrideJSON.init)
        }
    }

    /// An interface as apps see it.
    struct Interface: Encodable {
        let name: String
        let kind: String
        let isUp: Bool
        let isUsed: Bool
        let isExpensive: Bool
        let isConstrained: Bool
        let addresses: [String]

        init(_ interface: NetworkInterface, isUsed: Bool) {
            name = interface.name
            kind = interface.kind.rawValue
            isUp = interface.isUp
            self.isUsed = isUsed
            isExpensive = interface.isExpensive
            isConstrained = interface.isConstrained
            addresses = interface.addresses
        }
    }

    /// What the packet engine knows besides the counters of `conditioned`, which has the same order.
    struct Measured: Encodable {
        @OrNull var down: Direction?
        @OrNull var up: Direction?

        /// One direction; with the kernel's plane it is null.
        struct Direction: Encodable {
            /// Dropped because the queue was full.
            let queueFull: UInt64
            /// Dropped by the AQM.
            let managed: UInt64
            /// Marked instead of dropped.
            let marked: UInt64
            /// How long the newest packets were on the link; null without any.
            @OrNull var delayMilliseconds: MeasuredDelay?

            init?(_ direction: ConditionedDirection?) {
                guard let counters = direction?.counters, let engine = counters.engine else {
                    return nil
                }
                queueFull = engine.queueFullPackets
                managed = engine.managedPackets
                marked = counters.marked
                delayMilliseconds = direction?.delay
            }
        }

        init(_ interface: ConditionedInterface) {
            down = Direction(interface.directions[.down])
            up = Direction(interface.directions[.up])
        }
    }

    init(
        host: Host, conditioned: [ConditionedInterface], programs: [OngoingProgram],
        at now: Duration, date: Duration
    ) {
        atMilliseconds = now.milliseconds
        dateSeconds = date / .seconds(1)
        interfaces = host.interfaces
        overrides = host.overrides
        self.conditioned = conditioned.map(ConditionedJSON.init)
        measured = conditioned.map(Measured.init)
        self.programs = programs
    }
}
