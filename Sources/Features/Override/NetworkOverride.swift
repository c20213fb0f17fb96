public import LinkModel
import LinuxKernel
import Netlink
public import NetworkPath

/// Says of interfaces what apps are to see of them: that they are expensive, constrained, of
/// another kind, or go before others.
///
/// Theory of operation. What is said is a mark in the interface's alias (`NetworkMark`), which
/// `NetworkPath` reads; nothing else is kept anywhere. The kernel has no way to change an alias only
/// if it is still what it was. So those who write take a lock in their state directory, and read
/// again what they have written: whoever does not know the lock, and writes at the same moment, is
/// noticed. All interfaces of one call are changed, or none.
///
/// To prefer an interface takes routes (`PreferredRoutes`): copies of its default routes, with a
/// better metric and an origin of linkcond's own. No foreign route is touched, and to clear is to
/// delete what has that origin.
///
/// Where the caller lacks the privilege but a sandbox of linkcond's is around it, that one does it
/// (`OverrideService`).
public enum NetworkOverride {
    /// Changes the override of these interfaces, or for none of that which carries the default
    /// route. What is nil stays as it was, apart from the time limit.
    ///
    /// - Parameters:
    ///   - until: when the whole override ends by itself, in seconds since 1970; nil: never.
    ///   - watcher: the name of the process that ends it then.
    ///
    /// Requires `CAP_NET_ADMIN`, or a sandbox around the caller.
    public static func set(
        _ override: InterfaceOverride, until: Int64? = nil, watcher: String? = nil,
        on interfaces: [String]
    ) throws(OverrideError) -> OverrideOutcome {
        try perform(.set(override, until: until, watcher: watcher, on: interfaces))
    }

    /// Takes away the override of these interfaces, or for nil of all.
    ///
    /// Requires `CAP_NET_ADMIN`, or a sandbox around the caller.
    public static func clear(_ interfaces: [String]?) throws(OverrideError) -> OverrideOutcome {
        try perform(.clear(interfaces))
    }

    /// Takes away what a watcher is to end, and nothing that was set later.
    public static func clear(endedBy watcher: String) throws(OverrideError) -> OverrideOutcome {
        try perform(.clearEndedBy(watcher))
    }

    /// Whether there is anything for a watcher to end. Needs no privilege.
    public static func hasOverrides(endedBy watcher: String) throws(OverrideError) -> Bool {
        try show().contains { $0.mark.watcher == watcher }
    }

    /// The interfaces that have an override. Needs no privilege.
    public static func show() throws(OverrideError) -> [OverriddenInterface] {
        try OverrideError.wrapping {
            let path = try NetworkPath.current()
            return try NetlinkSession().links().compactMap { link in
                guard let mark = NetworkMark(alias: link.aliasBytes) else { return nil }
                let seen = path.interfaces.first { $0.index == link.index }
                return OverriddenInterface(
                    name: link.name, mark: mark,
                    isExpensive: seen?.isExpensive ?? mark.makesExpensive(.other),
                    isConstrained: seen?.isConstrained ?? mark.makesConstrained)
            }
        }
    }

    /// Does what is asked here, or has the sandbox around the caller do it.
    static func perform(_ request: OverrideRequest) throws(OverrideError) -> OverrideOutcome {
        if Privilege.mayChangeNetwork { return try OverrideEditor().perform(request) }
        guard let outcome = try OverrideService.ask(request) else {
            throw .missingPrivilege(request.name)
        }
        return outcome
    }
}

/// What a call has changed.
public struct OverrideOutcome: Hashable, Sendable, Codable {
    /// The interfaces that have an override now, or had one before it was cleared.
    public var interfaces: [String]
    /// Processes that waited to end overrides and now have nothing left to end.
    public var idleWatchers: [String]
}

/// An interface with an override.
public struct OverriddenInterface: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// What the override says.
    public var mark: NetworkMark
    /// Whether apps see that it costs money by volume.
    public var isExpensive: Bool
    /// Whether apps see that it is in Low Data Mode.
    public var isConstrained: Bool
}

/// What is asked of whoever may change interfaces.
enum OverrideRequest: Hashable, Sendable, Codable {
    case set(InterfaceOverride, until: Int64?, watcher: String?, on: [String])
    case clear([String]?)
    case clearEndedBy(String)

    /// How people know it.
    var name: String {
        switch self {
        case .set: "setting an override"
        case .clear, .clearEndedBy: "clearing an override"
        }
    }
}
