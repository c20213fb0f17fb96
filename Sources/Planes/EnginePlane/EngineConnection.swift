import LinuxKernel

/// A client's connection to the engine.
final class EngineConnection {
    let channel: MessageChannel
    /// Its token must come back with the request, which proves that the process found here sent it.
    let greeting: ServiceGreeting
    /// When the client connected.
    let arrival = KernelClock.monotonic
    /// Whether the client has acknowledged the reply.
    var hasLooked = false
    private let peer: Result<PeerProcess, PeerProcess.Lack>

    /// Identifies the client and greets it; nil if the greeting cannot be sent, without which
    /// neither side would send anything.
    init?(_ channel: MessageChannel) {
        self.channel = channel
        peer = Result { () throws(PeerProcess.Lack) in
            let peer = try PeerProcess(at: channel)
            try peer.checkMayChangeNetwork()
            return peer
        }
        greeting = ServiceGreeting(token: .random(in: .min ... .max))
        guard channel.send(json: greeting) else { return nil }
    }

    deinit { channel.close() }

    /// Whether the client may only ask for the status, as determined when it connected.
    var isStranger: Bool { if case .failure = peer { true } else { false } }

    /// Replies with an error.
    func refuse(_ error: EngineError, id: UInt64? = nil) {
        channel.send(json: ServiceReply(id: id, content: .failed(error)))
    }

    /// Throws if the client may only ask for the status.
    func checkIsNoStranger() throws(EngineError) {
        if case .failure(let lack) = peer { throw .notAdmitted(lack) }
    }

    /// Throws unless the process that connected sent the message, and may still change the network.
    func check(_ message: MessageChannel.Message) throws(EngineError) {
        do throws(PeerProcess.Lack) {
            let peer = try peer.get()
            guard peer.isSender(of: message) else { throw PeerProcess.Lack.ended }
            try peer.checkMayChangeNetwork()
        } catch {
            throw .notAdmitted(error)
        }
    }
}
