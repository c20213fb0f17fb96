import DataPlane
import LinuxKernel
import SystemPackage

/// A connection to the packet engine of the calling thread's network namespace, for one question.
final class EngineLine {
    let channel: MessageChannel
    /// The number of the process that answers.
    let id: Int32
    /// That process, where the caller may look at it, and so is sure of it.
    let process: PeerProcess?
    private var hasEnded = false

    /// How long an engine that has nothing more to do may take to end.
    private static let endLimit = Duration.seconds(5)

    /// Connects; nil if nobody serves.
    ///
    /// Whoever is to change something has to be a process that may do it itself. What conditions
    /// there are is told by any process of root's, or of the caller's user.
    static func open(
        patience: Duration, forChange isChange: Bool
    ) throws(EngineError) -> EngineLine? {
        do {
            guard
                let channel = try NamespaceService.connect(
                    to: EngineServer.name, patience: patience)
            else { return nil }
            return try EngineLine(channel, forChange: isChange)
        } catch {
            throw error as? EngineError
                ?? EngineError("the packet engine cannot be asked: \(error)")
        }
    }

    private init(
        _ channel: MessageChannel, forChange isChange: Bool
    ) throws(EngineError) {
        self.channel = channel
        let peer = channel.peer
        id = peer?.process ?? 0
        guard let peer, peer.isTrusted else {
            channel.close()
            throw .stranger(process: id)
        }
        guard Privilege.mayChangeNetwork else {
            process = nil
            return
        }
        do throws(PeerProcess.Lack) {
            let process = try PeerProcess(at: channel)
            try process.checkMayChangeNetwork()
            self.process = process
        } catch {
            process = nil
            switch error {
            case .ended: hasEnded = true
            // Only for whoever is not root, and does without that look.
            case .unreadable: break
            case .unseen, .foreignProc, .elsewhere, .otherUser, .noPrivilege:
                if isChange { throw .elsewhere(process: id, error) }
            }
        }
    }

    deinit { channel.close() }

    /// Asks, and waits for the answer; nil if that is lost, so that it is not known what was done.
    func ask(
        _ change: ServiceRequest.Change?, id: UInt64, with files: [FileDescriptor],
        within limit: Duration
    ) throws(EngineError) -> [ConditionedInterface]? {
        guard !hasEnded, let message = try next(within: limit) else { return nil }
        guard let greeting = message.decode(ServiceGreeting.self),
            greeting.version == ServiceGreeting.currentVersion
        else { throw .otherVersion(process: self.id) }
        let query = ServiceQuery(id: id, token: greeting.token, isChange: change != nil)
        guard channel.send(json: ServiceRequest(query: query, change: change), with: files) else {
            return nil
        }
        var interfaces: [ConditionedInterface] = []
        while let message = try next(within: limit) {
            // An answer to this question is younger than the look at the process.
            guard process?.isSender(of: message) != false,
                let reply = message.decode(ServiceReply.self), reply.id == id || reply.id == nil
            else { return nil }
            switch reply.content {
            case .interface(let interface): interfaces.append(interface)
            case .failed(let error):
                waitForEnd()
                throw error
            case .done:
                waitForEnd()
                return interfaces
            }
        }
        return nil
    }

    /// The next message; nil if the connection has ended.
    private func next(within limit: Duration) throws(EngineError) -> MessageChannel.Message? {
        guard !Readiness.wait(for: [channel.descriptor], timeout: limit).isEmpty else {
            throw .deaf(process: id)
        }
        return (try? channel.receive(atMost: ServiceReply.longest)) ?? nil
    }

    /// An engine that has nothing more to do closes the connection by its own end, for which it
    /// waits until its answer was looked at.
    private func waitForEnd() {
        channel.finishSending()
        _ = Readiness.wait(for: [channel.descriptor], timeout: Self.endLimit)
    }
}
