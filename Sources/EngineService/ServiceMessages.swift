import FoundationEssentials
import LinuxKernel

/// What a caller asks of the engine, once on each connection.
struct ServiceRequest: Codable {
    enum Wish: Codable {
        case apply(EngineRequest)
        /// Takes away the conditions of these interfaces or of all, under this name or any.
        case remove(interfaces: [Int32]?, name: String?)
        case status
    }

    /// Both ends have to have the same one.
    static let currentVersion = 2
    var version = Self.currentVersion
    var wish: Wish
}

/// What the engine answers: any number of interfaces, and then one of the others.
enum ServiceReply: Codable {
    case interface(EmulatedInterface)
    case failed(EngineError)
    /// All is done.
    case done
}

extension MessageChannel {
    /// Sends a value; false if nobody takes it.
    @discardableResult
    func send(json value: some Encodable) -> Bool {
        guard let data = try? JSONEncoder().encode(value) else { return false }
        return send(Array(data))
    }

    /// The next value; nil if the other end is gone, or says what cannot be understood.
    func receive<Value: Decodable>(json type: Value.Type) -> Value? {
        receive().flatMap { try? JSONDecoder().decode(type, from: Data($0)) }
    }
}
