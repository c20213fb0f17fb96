import DataPlane
import FoundationEssentials
import LinuxKernel
import SystemPackage

/// The first message of the engine on each connection.
struct ServiceGreeting: Codable, Hashable {
    /// Both ends must have the same version.
    static let currentVersion = 6
    var version = Self.currentVersion
    /// The request repeats it, and so cannot be older than the greeting.
    var token: UInt64
}

/// The part that every request contains, whoever sends it.
struct ServiceQuery: Codable, Hashable {
    /// The most bytes read from a stranger.
    static let longest = 1024
    /// The unique ID of the request: a repeated request is not carried out again.
    var id: UInt64
    /// The token of the greeting.
    var token: UInt64
    /// Whether it asks for a change, rather than for the status.
    var isChange: Bool
}

/// A client's request to the engine, one for each connection.
struct ServiceRequest: Codable {
    enum Change: Codable {
        /// Delivery traces come with it as open files, that of the down direction first.
        case apply(EngineRequest)
        /// Removes the conditions of these interfaces (nil: all) and of this name (nil: any).
        case remove(interfaces: [Int32]?, name: String?)
    }

    /// The most bytes read from a client that may change something.
    static let longest = 128 * 1024
    var query: ServiceQuery
    /// nil asks for the status.
    var change: Change?
}

/// The engine's reply: any number of interfaces, and then one of the other messages.
struct ServiceReply: Codable {
    enum Content: Codable {
        case interface(ConditionedInterface)
        case failed(EngineError)
        /// All is done.
        case done
    }

    static let longest = 128 * 1024
    /// The ID of the request; nil if it was unreadable.
    var id: UInt64?
    var content: Content
}

extension MessageChannel {
    /// Sends a value with copies of open files; false if that fails.
    @discardableResult
    func send(json value: some Encodable, with files: [FileDescriptor] = []) -> Bool {
        guard let data = try? JSONEncoder().encode(value) else { return false }
        return (try? send(Array(data), with: files)) != nil
    }
}

extension MessageChannel.Message {
    /// The message as a value; nil if it has another form.
    func decode<Value: Decodable>(_ type: Value.Type, _ decoder: JSONDecoder = JSONDecoder())
        -> Value?
    {
        try? decoder.decode(type, from: Data(bytes))
    }
}
