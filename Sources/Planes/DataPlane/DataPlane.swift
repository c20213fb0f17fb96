public import LinkModel
public import Netlink

/// What carries conditions out on the interfaces of the calling thread's network namespace.
///
/// Each marks in the kernel what it adds. So any later process finds it, by whichever data plane it
/// was made, and whoever asks need not know which that is. A value is a view of the host as a
/// command finds it: it is made for one change and not kept.
public protocol DataPlane {
    /// Which one it is.
    var kind: DataPlaneKind { get }

    /// What it lacks for what is asked; nil if it can do all of it.
    func lack(for demand: PlaneDemand, _ state: HostState?) -> PlaneLack?

    /// The indexes of those interfaces that it conditions now, of `links`.
    func conditioned(_ links: [Link]) throws -> Set<Int32>

    /// What `apply` would do, as commands for a shell. Needs no privilege and changes nothing.
    func script(_ request: ApplyRequest, on links: [Link]) throws -> String

    /// Conditions all of `links`, or none if one of them cannot be. Where `request` replaces
    /// conditions, packets under way are not lost.
    ///
    /// Requires `CAP_NET_ADMIN`. Throws a `PlaneRefusal` if it lacks what only trying tells.
    func apply(
        _ request: ApplyRequest, on links: [Link], _ state: HostState
    ) throws -> ApplyReport

    /// Takes the conditions called `name`, or all for nil, from the interfaces with these indexes,
    /// or from all of the namespace for nil, whoever applied them and however that process ended.
    ///
    /// Requires `CAP_NET_ADMIN`.
    func clear(_ indices: Set<Int32>?, name: String?, _ state: HostState) throws -> ClearReport

    /// Takes away from `links` what a process of its own has left there that was killed, and that
    /// conditions nothing any more, so that another data plane can have them.
    func yield(_ links: [Link]) throws

    /// All conditions of the namespace, by interface and in the order in which they choose their
    /// traffic. Needs no privilege.
    func status() throws -> [ConditionedInterface]

    /// All conditions of the namespace that watchers are to end. Opens none of their files: a
    /// watcher that asks would lose the lock on its own.
    func watched() throws -> Set<WatchedConditions>
}

/// What `apply` did.
public struct ApplyReport: Sendable {
    /// The names of the interfaces that are conditioned now, as the request has them.
    public var interfaces: [String]
    /// The names of conditions that come first and keep what both choose, by interface.
    public var precedents: [String: [String]]
    /// The watchers of what was replaced.
    public var formerWatchers: Set<String>
    /// How it was done, for those who want to know.
    public var details: [String]

    /// Reports.
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

/// Conditions that a watcher is to end.
public struct WatchedConditions: Sendable, Hashable {
    /// The index of the interface.
    public var index: Int32
    /// Their name.
    public var name: String
    /// The watcher's.
    public var watcher: String

    /// Conditions with a time limit; nil for those without.
    public init?(index: Int32, name: String, limit: TimeLimit?) {
        guard let limit else { return nil }
        self.index = index
        self.name = name
        watcher = limit.watcher
    }
}

/// What `clear` did.
public struct ClearReport: Sendable {
    /// The names of the interfaces that were conditioned.
    public var interfaces: [String]
    /// The names of all conditions that there were.
    public var names: Set<String>
    /// The watchers of what was taken away.
    public var formerWatchers: Set<String>

    /// Reports.
    public init(interfaces: [String], names: Set<String>, formerWatchers: Set<String>) {
        self.interfaces = interfaces
        self.names = names
        self.formerWatchers = formerWatchers
    }
}

/// An error that may say what a data plane lacks.
public protocol PlaneRefusal: Error, CustomStringConvertible {
    /// Whether another data plane may be able to do it.
    var isLack: Bool { get }
}
