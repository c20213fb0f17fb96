import FoundationEssentials
public import LinkModel
public import LinuxKernel
import SystemPackage

/// An order to the link of a run while its command runs, from a process of the host.
public enum LinkOrder: Sendable, Hashable, Codable {
    /// Get these conditions; packets on the link stay. Answered by `.changed` or `.refused`.
    case change(to: LinkConditions, profile: String)
    /// Tell the counters: `.report`.
    case report
}

/// What a run says to the process that gives it orders.
public enum LinkReply: Sendable, Hashable, Codable {
    /// The command is about to start.
    case started(DataPlaneKind)
    /// The conditions have changed.
    case changed
    /// They have not, for this reason.
    case refused(String)
    /// The counters.
    case report(LinkReport)
    /// A note for the user.
    case note(String)
    /// The run ended, or never began, for this reason.
    case failed(String)
}

/// The state of a run's link.
public struct LinkReport: Sendable, Hashable, Codable {
    /// The traffic on it.
    public var counters: LinkCounters
    /// Why its conditions are not kept; nil: they are, or nobody can tell.
    public var problem: String?

    /// Makes a report.
    public init(counters: LinkCounters, problem: String?) {
        (self.counters, self.problem) = (counters, problem)
    }
}

extension MessageChannel {
    /// Sends a value as JSON; false if the other end is closed or it could not be written.
    @discardableResult
    public func send(json value: some Encodable) -> Bool {
        guard let data = try? JSONEncoder().encode(value) else { return false }
        return send(Array(data))
    }

    /// The next value; nil at the end, or if it cannot be understood.
    public func receive<Value: Decodable>(_ type: Value.Type) -> Value? {
        receive().flatMap { try? JSONDecoder().decode(type, from: Data($0)) }
    }
}
