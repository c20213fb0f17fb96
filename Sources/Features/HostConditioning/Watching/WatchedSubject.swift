import DataPlanes
import FoundationEssentials
import LinuxKernel
import Netlink
import Override

/// What a watcher ends.
public enum WatchedSubject: Sendable {
    /// Conditions from `apply`.
    case conditions
    /// Overrides from `override set`.
    case overrides

    /// The indexes of the interfaces that have it and still exist.
    func interfaces(endedBy watcher: String) throws -> Set<Int32> {
        switch self {
        case .overrides: return try NetworkOverride.interfaces(endedBy: watcher)
        case .conditions:
            let existing = try NetlinkSession().links().map(\.index)
            return try Self.planes().interfaces(endedBy: watcher).intersection(existing)
        }
    }

    /// Removes it, and nothing that was made later.
    func clear(endedBy watcher: String) throws {
        switch self {
        case .overrides: _ = try NetworkOverride.clear(endedBy: watcher)
        case .conditions: try Self.planes().clear(endedBy: watcher)
        }
    }

    private static func planes() throws -> DataPlanes {
        DataPlanes(environment: ProcessInfo.processInfo.environment)
    }
}
