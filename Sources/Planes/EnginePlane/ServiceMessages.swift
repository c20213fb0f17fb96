import DataPlane
import FoundationEssentials
import LinuxKernel
import SystemPackage

/// What the engine says first on each connection.
struct ServiceGreeting: Codable, Hashable {
    /// Both ends have to have the same one.
    static let currentVersion = 4
    var version = Self.currentVersion
    /// What a request repeats, so that it cannot be older than this.
    var token: UInt64
}

/// What every request says, whoever may make it.
struct ServiceQuery: Codable, Hashable {
    /// Of all that strangers may send this much is read.
    static let longest = 1024
    /// Tells the request from all others: the same one, sent again, is not done again.
    var id: UInt64
    /// That of the greeting.
    var token: UInt64
    /// Whether it asks for a change, and not only for what there is.
    var isChange: Bool
}

/// What a caller asks of the engine, once on each connection.
struct ServiceRequest: Codable {
    enum Change: Codable {
        /// Delivery traces come with it as open files, that of the way down first.
        case apply(EngineRequest)
        /// Takes away the conditions of these interfaces or of all, under this name or any.
        case remove(interfaces: [Int32]?, name: String?)
    }

    /// Of what may change something so much is read.
    static let longest = 128 * 1024
    var query: ServiceQuery
    /// nil asks for the status.
    var change: Change?
}

/// What the engine answers: any number of interfaces, and then one of the others.
struct ServiceReply: Codable {
    enum Content: Codable {
        case interface(ConditionedInterface)
        case failed(EngineError)
        /// All is done.
        case done
    }

    static let longest = 128 * 1024
    /// That of the request; nil where it could not be read.
    var id: UInt64?
    var content: Content
}

extension MessageChannel {
    /// Sends a value with copies of open files; false if it is not taken.
    @discardableResult
    func send(json value: some Encodable, with files: [FileDescriptor] = []) -> Bool {
        guard let data = try? JSONEncoder().encode(value) else { return false }
        return (try? send(Array(data), with: files)) != nil
    }
}

extension MessageChannel.Message {
    /// The message as a value; nil if it says something else.
    func decode<Value: Decodable>(_ type: Value.Type, _ decoder: JSONDecoder = JSONDecoder())
        -> Value?
    {
        try? decoder.decode(type, from: Data(bytes))
    }
}
