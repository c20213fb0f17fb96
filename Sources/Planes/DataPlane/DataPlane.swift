public import LinkModel
public import Netlink

/// Carries conditions out on the interfaces of the calling thread's network namespace.
///
/// Each data plane marks in the kernel what it adds, so that any later process finds it, whichever
/// data plane it is on. A value is a view of the host at the time of one command: it serves one
/// change and is not kept.
public protocol DataPlane {
    /// The kind of the data plane.
    var kind: DataPlaneKind { get }

    /// Why it cannot meet the demand; nil if it can.
    func lack(for demand: PlaneDemand, _ state: HostState?) -> PlaneLack?

    /// The indexes of those of `links` that it conditions now.
    func conditioned(_ links: [Link]) throws -> Set<Int32>

    /// What `apply` would do, as shell commands. Requires no privilege and changes nothing.
    func script(_ request: ApplyRequest, on links: [Link]) throws -> String

    /// Conditions all of `links`, or none if one of them cannot be conditioned. Where `request`
    /// replaces conditions, packets in flight are not lost.
    ///
    /// Requires `CAP_NET_ADMIN`. Throws a `PlaneRefusal` if it lacks something that only trying
    /// shows.
    func apply(
        _ request: ApplyRequest, on links: [Link], _ state: HostState
    ) throws -> ApplyReport

    /// Removes the conditions called `name` (nil: all) from the interfaces with these indexes (nil:
    /// all of the namespace), whoever applied them and however that process ended.
    ///
    /// Requires `CAP_NET_ADMIN`.
    func clear(_ indices: Set<Int32>?, name: String?, _ state: HostState) throws -> ClearReport

    /// Removes from `links` what a killed process of this data plane has left there without effect,
    /// so that another data plane can use them.
    func yield(_ links: [Link]) throws

    /// All conditions of the namespace, by interface and in their order of precedence. Requires no
    /// privilege.
    func status() throws -> [ConditionedInterface]

    /// All conditions of the namespace with a watcher. Opens none of the watchers' files: a watcher
    /// that calls this would lose its own lock.
    func watched() throws -> Set<WatchedConditions>
}

/// The result of `apply`.
public struct ApplyReport: Sendable {
    /// The names of the interfaces that are now conditioned, in the order of the request.
    public var interfaces: [String]
    /// The names of conditions with precedence for packets that both choose, by interface.
    public var precedents: [String: [String]]
    /// The watchers of the replaced conditions.
    public var formerWatchers: Set<String>
    /// How it was done, for verbose output.
    public var details: [String]

    /// Makes a report.
    public init(
        interfaces: [String], precedents: [String: [String]], formerWatchers: Set<String>,
        details: [String] = []
    ) {
        self.interfaces = interfaces
        self.precedents = precedents
        self.formerWatchers = formerWatchers
        self.details = details
    }
}

/// Conditions with a watcher.
public struct WatchedConditions: Sendable, Hashable {
    /// The index of the interface.
    public var index: Int32
    /// Their name.
    public var name: String
    /// The name of the watcher.
    public var watcher: String

    /// Conditions with a time limit; nil for those without.
    public init?(index: Int32, name: String, limit: TimeLimit?) {
        guard let limit else { return nil }
        self.index = index
        self.name = name
        watcher = limit.watcher
    }
}

/// The result of `clear`.
public struct ClearReport: Sendable {
    /// The names of the interfaces that were conditioned.
    public var interfaces: [String]
    /// The names of all conditions that existed.
    public var names: Set<String>
    /// The watchers of the removed conditions.
    public var formerWatchers: Set<String>

    /// Makes a report.
    public init(interfaces: [String], names: Set<String>, formerWatchers: Set<String>) {
        self.interfaces = interfaces
        self.names = names
        self.formerWatchers = formerWatchers
    }
}

/// An error that may show that a data plane lacks something.
public protocol PlaneRefusal: Error, CustomStringConvertible {
    /// Whether another data plane may succeed.
    var isLack: Bool { get }
}
