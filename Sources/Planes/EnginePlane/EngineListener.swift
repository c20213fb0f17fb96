import FoundationEssentials
import LinuxKernel
import SystemPackage

/// Accepts the engine's clients, reads their requests, and disconnects clients that send none.
///
/// It never waits for a client. Only a process that may itself change the network may do so here.
/// All others are strangers: they get the status, as the kernel shows its state to everybody, and
/// nothing else in their messages is read.
struct EngineListener: ~Copyable {
    /// A client's request.
    struct Question {
        let connection: EngineConnection
        let id: UInt64
        let change: ServiceRequest.Change?
        /// Keeps the open files that came with the request.
        let message: MessageChannel.Message
    }

    private let name: String
    private var socket: ServiceSocket
    private let decoder = JSONDecoder()
    private var connections: [EngineConnection] = []

    /// A client that sends nothing for so long is disconnected.
    private static let patience = Duration.seconds(5)
    private static let mostVisitors = 64
    /// Fewer than the total, so that they keep nobody else out.
    private static let mostStrangers = 32
    /// The buffer for a client that does not read: enough for the status of all interfaces.
    private static let keptBytes: Int32 = 2 << 20

    /// Listens under a name.
    init(name: String) throws {
        self.name = name
        socket = try NamespaceService.listen(name)
    }

    /// Listens again if nobody finds it any more, as when somebody has emptied /run; unless another
    /// engine is found now.
    mutating func stayReachable() {
        guard !socket.isFound, let another = try? NamespaceService.listen(name) else { return }
        socket = another
    }

    /// The descriptors, for waiting.
    var descriptors: [FileDescriptor] {
        [socket.descriptor] + connections.map(\.channel.descriptor)
    }

    /// The requests of readable connections that the engine has to answer. Also accepts new
    /// connections.
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

    /// The request of a readable connection; nil if the client has disconnected.
    private func question(of connection: EngineConnection) throws(EngineError) -> Question? {
        let limit = connection.isStranger ? ServiceQuery.longest : ServiceRequest.longest
        let message: MessageChannel.Message
        do {
            guard let received = try connection.channel.receive(atMost: limit) else { return nil }
            message = received
        } catch {
            // Status requests of strangers are much shorter.
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

    /// The part of a request that is read from any client.
    struct Outline: Decodable {
        var query: ServiceQuery
    }
}
