/// The identity of a protocol.
public final class NWProtocolDefinition: Hashable, Sendable, CustomDebugStringConvertible {
    /// The name, such as `tcp`.
    public let name: String

    init(_ name: String) { self.name = name }

    /// Whether they are the same protocol.
    public static func == (left: NWProtocolDefinition, right: NWProtocolDefinition) -> Bool {
        left.name == right.name
    }

    /// Feeds the identity into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The name.
    public var debugDescription: String { name }
}

/// A protocol of a connection.
public protocol NWProtocol {
    /// The identity of the protocol.
    static var definition: NWProtocolDefinition { get }
}

/// The settings of a protocol.
public protocol NWProtocolOptions: AnyObject, Sendable {}

/// What is known of a protocol in a connection, or of one message.
public protocol NWProtocolMetadata: AnyObject, Sendable {}
