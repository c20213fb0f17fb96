import DataPlane
import FoundationEssentials
public import LinkModel
public import NetworkPath
import Override

/// Overrides of the host's interfaces, which may have a time limit and which NetworkManager
/// follows.
public enum HostOverrides {
    /// What came of a change.
    public struct Outcome {
        /// The interfaces that have an override now, or had one before it was cleared.
        public let interfaces: [String]
        /// What the user should know; nil if nothing.
        public let note: String?
    }

    /// Overrides what apps see of interfaces, for a while if `duration` is given; the process that
    /// ends it is there before.
    public static func set(
        _ override: InterfaceOverride, on interfaces: [String], for duration: Duration?
    ) throws -> Outcome {
        guard let duration else {
            return outcome(of: try NetworkOverride.set(override, on: interfaces))
        }
        let now = Int64(Date().timeIntervalSince1970)
        let limit = TimeLimit(after: duration, process: nil, now: now)
        return outcome(
            of: try Watcher.guarding(limit, after: duration, ends: .overrides) {
                try NetworkOverride.set(
                    override, until: limit.until, watcher: limit.watcher, on: interfaces)
            })
    }

    /// Takes overrides away; nil: those of all interfaces.
    public static func clear(_ interfaces: [String]?) throws -> Outcome {
        outcome(of: try NetworkOverride.clear(interfaces))
    }

    private static func outcome(of change: OverrideOutcome) -> Outcome {
        dismiss(change.idleWatchers)
        return Outcome(
            interfaces: change.interfaces, note: HostNetworkManager.followOverrides())
    }

    /// What is wrong with a time limit that nobody will keep.
    public static func problem(with mark: NetworkMark) -> String? {
        guard let watcher = mark.watcher else { return nil }
        let environment = ProcessInfo.processInfo.environment
        let limit = TimeLimit(until: mark.until, process: nil, watcher: watcher)
        guard limit.problem(environment) != nil else { return nil }
        return "the process that was to end this is gone; it stays until linkcond override clear"
    }

    /// Ends watchers that have nothing left to end. One that is missed, such as that of another
    /// user, finds nothing to do when its time comes.
    static func dismiss(_ watchers: [String]) {
        WatcherFile.dismiss(Set(watchers), ProcessInfo.processInfo.environment)
    }
}
