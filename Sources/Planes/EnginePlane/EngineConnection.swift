import LinuxKernel

/// Who has connected to the engine.
final class EngineConnection {
    let channel: MessageChannel
    /// What it has to say first, so that what it says is known to come from who it was found to be.
    let greeting: ServiceGreeting
    /// When it came.
    let arrival = KernelClock.monotonic
    /// Whether it has taken note of the answer.
    var hasLooked = false
    private let peer: Result<PeerProcess, PeerProcess.Lack>

    /// Looks at who has connected, and greets it; nil if the greeting is not taken, without which
    /// nobody would say anything.
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

    /// Whether it may only ask for the status, as far as was seen when it came.
    var isStranger: Bool { if case .failure = peer { true } else { false } }

    /// Answers that there is no answer.
    func refuse(_ error: EngineError, id: UInt64? = nil) {
        channel.send(json: ServiceReply(id: id, content: .failed(error)))
    }

    /// Throws where it may only ask for the status.
    func checkIsNoStranger() throws(EngineError) {
        if case .failure(let lack) = peer { throw .notAdmitted(lack) }
    }

    /// Throws unless the process that connected sent a message, and may change the network still.
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
