public import LinkModel
import LinuxKernel
import Netlink
public import NetworkPath

/// Overrides what apps see of interfaces: whether they are expensive, constrained, of another kind,
/// or preferred.
///
/// Theory of operation. An override is a mark in the interface's alias (`NetworkMark`), which
/// `NetworkPath` reads; nothing is stored elsewhere. The kernel cannot compare and swap an alias.
/// So writers take a lock in their state directory and read back what they have written, which
/// detects writers that do not use the lock. A call changes all of its interfaces or none.
///
/// Preferring an interface takes routes (`PreferredRoutes`): copies of its default routes with a
/// better metric and linkcond's own protocol number. Foreign routes stay as they are; clearing
/// deletes the routes with that number.
///
/// If the caller lacks the privilege but runs in a linkcond sandbox, the sandbox does it
/// (`OverrideService`).
public enum NetworkOverride {
    /// Changes the override of these interfaces; if none is given, of the one with the default
    /// route. Nil properties stay as they were, except the time limit.
    ///
    /// - Parameters:
    ///   - ends: When the whole override ends by itself, in seconds of `KernelClock.boot`; nil: never.
    ///   - watcher: The name of the process that ends it then.
    ///
    /// Returns the names of the interfaces. Requires `CAP_NET_ADMIN`, or a sandbox around the caller.
    public static func set(
        _ override: InterfaceOverride, ends: Int64? = nil, watcher: String? = nil,
        on interfaces: [String]
    ) throws(OverrideError) -> [String] {
        try perform(.set(override, ends: ends, watcher: watcher, on: interfaces))
    }

    /// Clears the override of these interfaces; nil: of all.
    ///
    /// Returns the names of those that had one. Requires `CAP_NET_ADMIN`, or a sandbox around the caller.
    public static func clear(_ interfaces: [String]?) throws(OverrideError) -> [String] {
        try perform(.clear(interfaces))
    }

    /// Clears the overrides that this watcher is to end, and none set later.
    public static func clear(endedBy watcher: String) throws(OverrideError) -> [String] {
        try perform(.clearEndedBy(watcher))
    }

    /// The indexes of the interfaces whose override this watcher is to end. Needs no privileges.
    public static func interfaces(
        endedBy watcher: String
    ) throws(OverrideError) -> Set<Int32> {
        try OverrideError.wrapping {
            Set(
                try NetlinkSession().links().filter {
                    NetworkMark(alias: $0.aliasBytes)?.watcher == watcher
                }.map(\.index))
        }
    }

    /// The names of the interfaces that have an override. Needs no privileges.
    public static func names() throws(OverrideError) -> [String] {
        try OverrideError.wrapping {
            try NetlinkSession().links()
                .filter { NetworkMark(alias: $0.aliasBytes) != nil }.map(\.name)
        }
    }

    /// The interfaces that have an override, as apps see them. Needs no privileges.
    public static func show() throws(OverrideError) -> [OverriddenInterface] {
        try OverrideError.wrapping {
            let path = try NetworkPath.current()
            let session = try NetlinkSession()
            let preferred = try PreferredRoutes(session: session).interfaces()
            return try session.links().compactMap { link in
                guard let mark = NetworkMark(alias: link.aliasBytes) else { return nil }
                let seen = path.interfaces.first { $0.index == link.index }
                return OverriddenInterface(
                    name: link.name, mark: mark,
                    isExpensive: seen?.isExpensive ?? mark.makesExpensive(.other),
                    isConstrained: seen?.isConstrained ?? mark.makesConstrained,
                    hasLostPreference: mark.isPreferred && !preferred.contains(link.index))
            }
        }
    }

    /// Performs the request here, or in the sandbox around the caller.
    static func perform(_ request: OverrideRequest) throws(OverrideError) -> [String] {
        if Privilege.mayChangeNetwork { return try OverrideEditor().perform(request) }
        guard let interfaces = try OverrideService.ask(request) else {
            throw .missingPrivilege(request.name)
        }
        return interfaces
    }
}

/// An interface with an override.
public struct OverriddenInterface: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// The override.
    public var mark: NetworkMark
    /// Whether apps see it as expensive.
    public var isExpensive: Bool
    /// Whether apps see it as constrained (Low Data Mode).
    public var isConstrained: Bool
    /// Whether it is to be preferred, but the routes for that are gone.
    public var hasLostPreference: Bool
}

/// A request to a process that may change interfaces.
enum OverrideRequest: Hashable, Sendable, Codable {
    case set(InterfaceOverride, ends: Int64?, watcher: String?, on: [String])
    case clear([String]?)
    case clearEndedBy(String)

    /// Its name for people.
    var name: String {
        switch self {
        case .set: "setting an override"
        case .clear, .clearEndedBy: "clearing an override"
        }
    }
}
