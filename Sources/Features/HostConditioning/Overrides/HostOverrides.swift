import DataPlane
import FoundationEssentials
public import LinkModel
public import NetworkPath
import Override

/// Overrides of the host's interfaces, optionally with a time limit; NetworkManager follows them.
public enum HostOverrides {
    /// The result of a change.
    public struct Outcome {
        /// The interfaces that now have an override, or had one before it was cleared.
        public let interfaces: [String]
        /// A note for the user, if there is one.
        public let note: String?
    }

    /// Overrides what apps see of interfaces, for `duration` if given; the watcher that ends it is
    /// started first.
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

    /// Clears overrides; nil: those of all interfaces.
    public static func clear(_ interfaces: [String]?) throws -> Outcome {
        outcome(of: try NetworkOverride.clear(interfaces))
    }

    private static func outcome(of change: OverrideOutcome) -> Outcome {
        dismiss(change.idleWatchers)
        return Outcome(
            interfaces: change.interfaces, note: HostNetworkManager.followOverrides())
    }

    /// The problem with an override's time limit if its watcher is gone.
    public static func problem(with mark: NetworkMark) -> String? {
        guard let watcher = mark.watcher else { return nil }
        let environment = ProcessInfo.processInfo.environment
        let limit = TimeLimit(until: mark.until, process: nil, watcher: watcher)
        guard limit.problem(environment) != nil else { return nil }
        return "the process that was to end this is gone; it stays until linkcond override clear"
    }

    /// Ends watchers that have nothing left to end. A watcher that is not reached, such as another
    /// user's, finds nothing to do when its time comes.
    static func dismiss(_ watchers: [String]) {
        WatcherFile.dismiss(Set(watchers), ProcessInfo.processInfo.environment)
    }
}
