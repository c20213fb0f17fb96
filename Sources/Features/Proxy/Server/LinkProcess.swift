import Glibc
import LinkModel
import LinuxKernel
import Sandbox
import SystemPackage

/// What a link's process is to make.
struct LinkSpecification: Sendable, Hashable, Codable {
    let conditions: LinkConditions
    let profile: String
    let seed: UInt64?
    let backend: Backend
    /// Whether the conditions may change.
    let mayChange: Bool
}

/// The process that makes the sandbox of a link and stays beside it on the host.
///
/// It is a process of its own, and not a fork of the proxy, because only a process with one thread
/// can make a user namespace. Standard input is passed on to the endpoint, which takes orders from
/// it.
public enum ProxyLink {
    /// The number of the descriptor of the channel to the proxy.
    static let channelNumber: Int32 = 3
    /// The verbs by which the program is started as a link and as an endpoint.
    static let (linkVerb, endpointVerb) = ("proxy-link", "proxy-endpoint")

    /// Makes what the first message asks for and returns when the proxy ends it.
    public static func run() throws {
        let descriptor = FileDescriptor(rawValue: channelNumber)
        try descriptor.setCloseOnExec()
        let channel = MessageChannel(adopting: descriptor)
        guard let specification = channel.receive(LinkSpecification.self) else { return }
        var request = SandboxRequest(
            conditions: specification.conditions, profile: specification.profile,
            command: [OwnProgram.path, endpointVerb].map { RawText($0) })
        request.backend = specification.backend
        request.seed = specification.seed
        request.orders = channel
        request.mayChange = specification.mayChange
        request.opensManyConnections = true
        request.drain = .zero
        do {
            let outcome = try Sandbox.run(request, listener: Listener(channel: channel))
            guard outcome.exitCode != 0 else { return }
            channel.send(
                json: LinkReply.failed("its endpoint ended with exit code \(outcome.exitCode)"))
        } catch {
            channel.send(json: LinkReply.failed("\(error)"))
        }
    }

    private struct Listener: Sandbox.Listener {
        let channel: MessageChannel

        func note(_ text: String) { channel.send(json: LinkReply.note(text)) }
        func explain(_ text: String) {}
        func fail(_ text: String) { note(text) }
    }
}
