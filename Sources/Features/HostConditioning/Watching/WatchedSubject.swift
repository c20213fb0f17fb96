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

    /// Whether there is anything to end.
    func stands(endedBy watcher: String) throws -> Bool {
        switch self {
        case .overrides: try NetworkOverride.hasOverrides(endedBy: watcher)
        case .conditions: try !Self.planes().interfaces(endedBy: watcher).isEmpty
        }
    }

    /// Whether any interface that has it still exists.
    func hasInterface(endedBy watcher: String) throws -> Bool {
        switch self {
        case .overrides: return try NetworkOverride.hasOverrides(endedBy: watcher)
        case .conditions:
            let wanted = try Self.planes().interfaces(endedBy: watcher)
            return try NetlinkSession().links().contains { wanted.contains($0.index) }
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
