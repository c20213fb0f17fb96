/// What the proxy tells a controller.
public struct ControlAnswer: Sendable, Hashable, Codable {
    /// The number of the call that it answers; nil for events.
    public var number: UInt64?
    /// What it says.
    public var content: ProxyReply

    /// Answers a call, or tells an event.
    public init(_ number: UInt64?, _ content: ProxyReply) {
        (self.number, self.content) = (number, content)
    }
}

/// The content of an answer.
public enum ProxyReply: Sendable, Hashable, Codable {
    /// It was done.
    case done
    /// Everything there is.
    case state(ProxyState)
    /// A listener as it is now; as an event: it is new or has changed.
    case listener(ListenerState)
    /// A link as it is now; as an event: it is new or has changed.
    case link(LinkState)
    /// It could not be done, and nothing has changed.
    case failed(ControlError)

    /// An event: a listener is gone.
    case listenerDeleted(String)
    /// An event: a link is gone.
    case linkDeleted(String)
    /// An event: the counters of all listeners and links.
    case counters(ProxyCounters)
    /// An event: something that users should know.
    case note(String)
}

/// Why a call was refused.
public struct ControlError: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kind of reason.
    public enum Reason: String, Sendable, Hashable, Codable {
        /// Another listener or link has the name.
        case nameTaken
        /// Another socket has the address.
        case addressInUse
        /// This host has no such address, or its path cannot be used.
        case addressNotAvailable
        /// Not without root, such as ports below 1024.
        case notPermitted
        /// There is no listener of this name.
        case noSuchListener
        /// There is no link of this name.
        case noSuchLink
        /// Listeners use the link, or it belongs to one.
        case linkInUse
        /// A field is wrong: `field` names it.
        case badField
        /// The call is not understood.
        case badCall
        /// The proxy cannot do it.
        case failed
    }

    /// The kind of reason.
    public var reason: Reason
    /// The field that is wrong, as in the call; nil if none is.
    public var field: String?
    /// One sentence: what is wrong, and what to do.
    public var description: String

    /// Gives a reason.
    public init(_ reason: Reason, _ description: String, field: String? = nil) {
        (self.reason, self.description, self.field) = (reason, description, field)
    }

    /// A field has a wrong value.
    public static func badField(_ field: String, _ description: String) -> ControlError {
        ControlError(.badField, description, field: field)
    }
}
