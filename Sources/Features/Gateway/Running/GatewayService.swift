import FoundationEssentials
import LinkModel
import LinuxKernel
import SystemPackage

/// The gateway's own service, by which other processes of its network namespace ask and change it.
/// It never waits for one of them.
struct GatewayService: ~Copyable {
    private final class Visitor {
        let channel: MessageChannel
        let peer: Result<PeerProcess, PeerProcess.Lack>
        let arrival = KernelClock.monotonic

        init(_ channel: MessageChannel) {
            self.channel = channel
            peer = Result { () throws(PeerProcess.Lack) in
                let peer = try PeerProcess(at: channel)
                try peer.checkMayChangeNetwork()
                return peer
            }
        }

        deinit { channel.close() }
    }

    static let name = "gateway"
    private static let patience = Duration.seconds(5)
    private static let mostVisitors = 32
    /// For an answer of a thousand devices that nobody reads yet.
    private static let keptBytes: Int32 = 2 << 20

    private let socket: ServiceSocket
    private var visitors: [Visitor] = []

    /// Takes the name; throws if another gateway has it.
    init() throws {
        do {
            socket = try NamespaceService.listen(Self.name)
        } catch Errno.addressInUse {
            throw GatewayError(
                "another gateway runs in this network namespace; end it, or change it with "
                    + "linkcond gateway set", status: .usage)
        }
    }

    var descriptors: [FileDescriptor] {
        [socket.descriptor] + visitors.map(\.channel.descriptor)
    }

    /// Answers what has been asked.
    mutating func serve(
        _ ready: [FileDescriptor], _ answer: (GatewayQuestion) throws -> [DeviceReport]
    ) {
        let now = KernelClock.monotonic
        let speakers = visitors.filter { ready.contains($0.channel.descriptor) }
        visitors.removeAll {
            ready.contains($0.channel.descriptor) || now - $0.arrival > Self.patience
        }
        for _ in 0..<Self.mostVisitors where ready.contains(socket.descriptor) {
            guard let channel = socket.accept(keeping: Self.keptBytes) else { break }
            visitors.append(Visitor(channel))
            if visitors.count > Self.mostVisitors { visitors.removeFirst() }
        }
        for visitor in speakers {
            do {
                guard let question = try Self.question(of: visitor) else { continue }
                for device in try answer(question) where !visitor.channel.send(.device(device)) {
                    return
                }
                _ = visitor.channel.send(.done)
            } catch {
                let status = (error as? any ErrorWithExitStatus)?.status ?? .failed
                _ = visitor.channel.send(.refused("\(error)", status: status.rawValue))
            }
        }
    }

    private static func question(of visitor: Visitor) throws -> GatewayQuestion? {
        guard let message = try visitor.channel.receive(atMost: GatewayQuestion.longest) else {
            return nil
        }
        let question = try? JSONDecoder().decode(GatewayQuestion.self, from: Data(message.bytes))
        guard let question else {
            throw GatewayError("the gateway is of another version of linkcond", status: .failed)
        }
        if case .set = question {
            do throws(PeerProcess.Lack) {
                let peer = try visitor.peer.get()
                guard peer.isSender(of: message) else { throw .ended }
                try peer.checkMayChangeNetwork()
            } catch {
                throw GatewayError(
                    "the gateway does not take that from a process that \(error)",
                    status: .noPermission)
            }
        }
        return question
    }
}
