import FoundationEssentials
import LinuxKernel
public import SystemPackage

/// Sets and clears overrides for the processes of a sandbox, which lack the privilege. They can
/// only affect their own network.
public final class OverrideService: Sendable {
    private let socket: ServiceSocket

    private static let name = "linkcond-override"
    /// How long either side waits for the other.
    private static let patience = Duration.seconds(10)

    /// Lets processes in the calling thread's network namespace ask; `run` answers. Nil if the socket
    /// cannot be made.
    public init?() {
        guard let socket = try? ServiceSocket(name: Self.name) else { return nil }
        self.socket = socket
    }

    /// What is readable when somebody asks.
    public var descriptor: FileDescriptor { socket.descriptor }

    /// Answers. The calling thread has to be in the same network namespace, with `CAP_NET_ADMIN`.
    public func run() -> Never {
        while true {
            _ = Readiness.wait(for: [socket.descriptor])
            while let channel = socket.accept() {
                Self.serve(channel)
                channel.close()
            }
        }
    }

    private static func serve(_ channel: MessageChannel) {
        // A client that connects and sends nothing must not block the others for long.
        let ready = Readiness.wait(for: [channel.descriptor], timeout: .seconds(1))
        guard !ready.isEmpty, let bytes = channel.receive(),
            let request = try? JSONDecoder().decode(OverrideRequest.self, from: Data(bytes))
        else { return }
        var reply = OverrideReply()
        do throws(OverrideError) {
            reply.interfaces = try OverrideEditor().perform(request)
        } catch {
            reply.failure = "\(error)"
        }
        guard let data = try? JSONEncoder().encode(reply) else { return }
        channel.send(Array(data))
    }

    /// Sends the request to the sandbox around the calling thread; nil if there is none.
    static func ask(_ request: OverrideRequest) throws(OverrideError) -> [String]? {
        let channel: MessageChannel
        do {
            guard let found = try ServiceSocket.connect(to: name, patience: patience) else {
                return nil
            }
            channel = found
        } catch {
            throw .kernel(error)
        }
        defer { channel.close() }
        guard let data = try? JSONEncoder().encode(request), channel.send(Array(data)),
            let bytes = channel.receive(),
            let reply = try? JSONDecoder().decode(OverrideReply.self, from: Data(bytes))
        else { throw .refusedBySandbox("the sandbox does not answer; is it ending?") }
        guard let interfaces = reply.interfaces else {
            throw .refusedBySandbox(reply.failure ?? "the sandbox did not say why it refused")
        }
        return interfaces
    }
}

/// The sandbox's reply.
private struct OverrideReply: Codable {
    var interfaces: [String]?
    var failure: String?
}
