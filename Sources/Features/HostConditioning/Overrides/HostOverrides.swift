import DataPlane
import FoundationEssentials
public import LinkModel
import NetworkPath
public import Override

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
        let limit = TimeLimit(after: duration, process: nil)
        return outcome(
            of: try Watcher.guarding(limit, after: duration, ends: .overrides) {
                try NetworkOverride.set(
                    override, ends: limit.ends, watcher: limit.watcher, on: interfaces)
            })
    }

    /// Clears overrides; nil: those of all interfaces.
    public static func clear(_ interfaces: [String]?) throws -> Outcome {
        outcome(of: try NetworkOverride.clear(interfaces))
    }

    private static func outcome(of interfaces: [String]) -> Outcome {
        Outcome(interfaces: interfaces, note: HostNetworkManager.followOverrides())
    }

    /// The problem with an override: its watcher is gone, or what makes it preferred.
    public static func problem(with interface: OverriddenInterface) -> String? {
        if isUnwatched(interface.mark) {
            return
                "the process that was to end this is gone; it stays until linkcond override clear"
        }
        guard interface.hasLostPreference else { return nil }
        return "its preferred routes went when it went down; "
            + "to prefer it again: linkcond override set -i \(interface.name) --prefer"
    }

    private static func isUnwatched(_ mark: NetworkMark) -> Bool {
        guard let watcher = mark.watcher else { return false }
        let limit = TimeLimit(ends: mark.ends, process: nil, watcher: watcher)
        return limit.problem(ProcessInfo.processInfo.environment) != nil
    }
}
