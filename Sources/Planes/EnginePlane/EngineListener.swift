import FoundationEssentials
import LinuxKernel
import SystemPackage

/// Where others ask the engine: takes in who comes, hears what they ask, and sends away who asks
/// nothing.
///
/// Nobody has to be waited for. A process that may change the network is let do it here; all others
/// are strangers, who get the status, as the kernel tells everybody of its conditions, and of whose
/// messages nothing else is looked at.
struct EngineListener: ~Copyable {
    /// What somebody asks.
    struct Question {
        let connection: EngineConnection
        let id: UInt64
        let change: ServiceRequest.Change?
        /// Open files that came with it, as long as this is there.
        let message: MessageChannel.Message
    }

    private let socket: ServiceSocket
    private let decoder = JSONDecoder()
    private var connections: [EngineConnection] = []

    /// Whoever has said nothing for so long is sent away.
    private static let patience = Duration.seconds(5)
    private static let mostVisitors = 64
    /// Fewer, so that they keep nobody else out.
    private static let mostStrangers = 32
    /// What is kept for a connection who does not read: the status of all interfaces.
    private static let keptBytes: Int32 = 2 << 20

    /// Opens it under a name.
    init(name: String) throws {
        socket = try NamespaceService.listen(name)
    }

    /// What to wait on.
    var descriptors: [FileDescriptor] {
        [socket.descriptor] + connections.map(\.channel.descriptor)
    }

    /// What those ask who have something to read, and the engine has to answer. Lets in who has
    /// come.
    mutating func questions(_ ready: [FileDescriptor]) -> [Question] {
        let speakers = connections.filter { ready.contains($0.channel.descriptor) }
        let now = KernelClock.monotonic
        connections.removeAll { connection in
            ready.contains(connection.channel.descriptor)
                || now - connection.arrival > Self.patience
        }
        if ready.contains(socket.descriptor) { letIn() }
        var questions: [Question] = []
        for connection in speakers {
            do throws(EngineError) {
                if let question = try question(of: connection) { questions.append(question) }
            } catch {
                connection.refuse(error)
            }
        }
        return questions
    }

    private mutating func letIn() {
        for _ in 0..<Self.mostVisitors {
            guard let channel = socket.accept(keeping: Self.keptBytes) else { return }
            guard let connection = EngineConnection(channel) else { continue }
            connections.append(connection)
            if connections.count(where: \.isStranger) > Self.mostStrangers,
                let oldest = connections.firstIndex(where: \.isStranger)
            {
                connections.remove(at: oldest)
            }
            if connections.count > Self.mostVisitors { connections.removeFirst() }
        }
    }

    /// What somebody asks who has something to read; nil from one who has left.
    private func question(of connection: EngineConnection) throws(EngineError) -> Question? {
        let limit = connection.isStranger ? ServiceQuery.longest : ServiceRequest.longest
        let message: MessageChannel.Message
        do {
            guard let received = try connection.channel.receive(atMost: limit) else { return nil }
            message = received
        } catch {
            // Strangers ask for the status with much fewer bytes.
            if connection.isStranger, error == .messageTooLong {
                try connection.checkIsNoStranger()
            }
            throw .unintelligible
        }
        guard let outline = message.decode(Outline.self),
            outline.query.token == connection.greeting.token
        else { throw .unintelligible }
        guard outline.query.isChange else {
            return Question(
                connection: connection, id: outline.query.id, change: nil, message: message)
        }
        try connection.check(message)
        guard let change = message.decode(ServiceRequest.self, decoder)?.change else {
            throw .unintelligible
        }
        return Question(
            connection: connection, id: outline.query.id, change: change, message: message)
    }

    /// The part of a request that is looked at whoever makes it.
    struct Outline: Decodable {
        var query: ServiceQuery
    }
}
