import DataPlane
import LinuxKernel
import SystemPackage

/// A connection to the packet engine of the calling thread's network namespace, for one request.
final class EngineLine {
    let channel: MessageChannel
    /// The ID of the serving process.
    let id: Int32
    /// That process, if the caller may inspect it, and so can trust it.
    let process: PeerProcess?
    private var hasEnded = false

    /// How long an engine with nothing left to do may take to end.
    private static let endLimit = Duration.seconds(5)

    /// Connects; nil if no engine serves.
    ///
    /// For a change, the serving process must itself be allowed to change the network. For the
    /// status, any process of root or of the caller's user is trusted.
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
            // Happens only to callers other than root, who can do without this check.
            case .unreadable: break
            case .unseen, .foreignProc, .elsewhere, .otherUser, .noPrivilege:
                if isChange { throw .elsewhere(process: id, error) }
            }
        }
    }

    deinit { channel.close() }

    /// Sends a request and waits for the reply; nil if the reply is lost, so that the outcome is
    /// unknown.
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
            // A reply to this request is newer than the check of the process.
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

    /// An engine with nothing left to do closes the connection by ending, after its reply was
    /// acknowledged.
    private func waitForEnd() {
        channel.finishSending()
        _ = Readiness.wait(for: [channel.descriptor], timeout: Self.endLimit)
    }
}
