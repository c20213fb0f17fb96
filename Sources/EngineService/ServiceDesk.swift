import FoundationEssentials
import LinuxKernel
import SystemPackage

/// Where others ask the engine: takes in who comes, hears what they ask, and sends away who asks
/// nothing.
///
/// Nobody has to be waited for. A process that may change the network is let do it here; all others
/// are strangers, who get the status, as the kernel tells everybody of its conditions, and of whose
/// messages nothing else is looked at.
struct ServiceDesk: ~Copyable {
    /// What somebody asks.
    struct Question {
        let visitor: Visitor
        let id: UInt64
        let change: ServiceRequest.Change?
        /// Open files that came with it, as long as this is there.
        let message: MessageChannel.Message
    }

    private let socket: ServiceSocket
    private let decoder = JSONDecoder()
    private var visitors: [Visitor] = []

    /// Whoever has said nothing for so long is sent away.
    private static let patience = Duration.seconds(5)
    private static let mostVisitors = 64
    /// Fewer, so that they keep nobody else out.
    private static let mostStrangers = 32
    /// What is kept for a visitor who does not read: the status of all interfaces.
    private static let keptBytes: Int32 = 2 << 20

    /// Opens it under a name.
    init(name: String) throws {
        socket = try NamespaceService.listen(name)
    }

    /// What to wait on.
    var descriptors: [FileDescriptor] {
        [socket.descriptor] + visitors.map(\.channel.descriptor)
    }

    /// What those ask who have something to read, and the engine has to answer. Lets in who has
    /// come.
    mutating func questions(_ ready: [FileDescriptor]) -> [Question] {
        let speakers = visitors.filter { ready.contains($0.channel.descriptor) }
        let now = KernelClock.monotonic
        visitors.removeAll { visitor in
            ready.contains(visitor.channel.descriptor) || now - visitor.arrival > Self.patience
        }
        if ready.contains(socket.descriptor) { letIn() }
        var questions: [Question] = []
        for visitor in speakers {
            do throws(EngineError) {
                if let question = try question(of: visitor) { questions.append(question) }
            } catch {
                visitor.refuse(error)
            }
        }
        return questions
    }

    private mutating func letIn() {
        for _ in 0..<Self.mostVisitors {
            guard let channel = socket.accept(keeping: Self.keptBytes) else { return }
            guard let visitor = Visitor(channel) else { continue }
            visitors.append(visitor)
            if visitors.count(where: \.isStranger) > Self.mostStrangers,
                let oldest = visitors.firstIndex(where: \.isStranger)
            {
                visitors.remove(at: oldest)
            }
            if visitors.count > Self.mostVisitors { visitors.removeFirst() }
        }
    }

    /// What somebody asks who has something to read; nil from one who has left.
    private func question(of visitor: Visitor) throws(EngineError) -> Question? {
        let limit = visitor.isStranger ? ServiceQuery.longest : ServiceRequest.longest
        let message: MessageChannel.Message
        do {
            guard let received = try visitor.channel.receive(atMost: limit) else { return nil }
            message = received
        } catch {
            // Strangers ask for the status with much fewer bytes.
            if visitor.isStranger, error == .messageTooLong { try visitor.checkIsNoStranger() }
            throw .unintelligible
        }
        guard let outline = message.decode(Outline.self),
            outline.query.token == visitor.greeting.token
        else { throw .unintelligible }
        guard outline.query.isChange else {
            return Question(visitor: visitor, id: outline.query.id, change: nil, message: message)
        }
        try visitor.check(message)
        guard let change = message.decode(ServiceRequest.self, decoder)?.change else {
            throw .unintelligible
        }
        return Question(visitor: visitor, id: outline.query.id, change: change, message: message)
    }

    /// The part of a request that is looked at whoever makes it.
    struct Outline: Decodable {
        var query: ServiceQuery
    }
}
