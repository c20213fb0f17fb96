import Glibc
import LinuxKernel
import SystemPackage

/// Talks to the packet engine of the calling thread's network namespace.
public enum EngineClient {
    private static let startLimit = Duration.seconds(20)
    /// Hundreds of interfaces take some seconds.
    private static let patience = Duration.seconds(30)
    /// What is asked without a change is answered at once, unless the engine hangs.
    private static let shortPatience = Duration.seconds(5)
    private static let attempts = 5

    /// Conditions all interfaces of the request or none; starts an engine where none runs.
    ///
    /// Requires root. Returns the interfaces as they are conditioned then.
    public static func apply(_ request: EngineRequest) throws(EngineError) -> [EmulatedInterface] {
        for _ in 0..<attempts {
            if let served = try ask(.apply(request), within: patience) { return served }
            try start()
        }
        throw EngineError("the packet engine ends as soon as it has begun; try again")
    }

    /// What the engine conditions; nil if none runs. Needs no privilege.
    public static func status() throws(EngineError) -> [EmulatedInterface]? {
        try ask(.status, within: shortPatience)
    }

    /// Takes away the conditions of the interfaces with these indexes, or of all, under this name
    /// or any, and waits for the engine to end if it has nothing more to do.
    ///
    /// Requires root. Returns what was conditioned; nil if no engine runs.
    static func remove(
        _ indices: [Int32]?, name: String?
    ) throws(EngineError) -> [EmulatedInterface]? {
        try ask(.remove(interfaces: indices, name: name), within: patience)
    }

    /// Kills the engine, whatever it does; the kernel lets traffic flow.
    static func kill() {
        guard let channel = try? ServiceSocket.connect(to: EngineServer.name, patience: .seconds(1))
        else { return }
        defer { channel.close() }
        guard let peer = channel.peer, peer.isTrusted, peer.process > 1 else { return }
        Process.signal(SIGKILL, to: peer.process)
        // The connection ends with the process.
        _ = Readiness.wait(for: [channel.descriptor], timeout: shortPatience)
    }

    private static func start() throws(EngineError) {
        let report: String?
        do {
            report = try DetachedProgram(arguments: EngineServer.arguments)
                .hear(within: startLimit)
        } catch {
            throw EngineError("the packet engine cannot be started: \(error)")
        }
        switch report {
        case EngineServer.readyReport: return
        case nil: throw EngineError("the packet engine does not get ready; try again")
        case let text?:
            let words = text.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2, let fault = EngineError.Fault(rawValue: words[0]) else {
                throw EngineError("the packet engine ended before it was ready")
            }
            throw EngineError(words[1], fault: fault)
        }
    }

    /// An engine that has nothing more to do closes the connection by its own end.
    private static func waitForEnd(of channel: MessageChannel) {
        _ = Readiness.wait(for: [channel.descriptor], timeout: shortPatience)
    }

    /// Asks the engine once; nil if none runs, or it ended before it answered.
    private static func ask(
        _ wish: ServiceRequest.Wish, within limit: Duration
    ) throws(EngineError) -> [EmulatedInterface]? {
        let channel: MessageChannel
        do {
            guard let found = try ServiceSocket.connect(to: EngineServer.name, patience: limit)
            else { return nil }
            channel = found
        } catch {
            throw EngineError("the packet engine does not let itself be asked: \(error)")
        }
        defer { channel.close() }
        guard let peer = channel.peer else { return nil }
        guard peer.isTrusted else { throw .stranger(process: peer.process) }
        guard channel.send(json: ServiceRequest(wish: wish)) else { return nil }
        var interfaces: [EmulatedInterface] = []
        while true {
            guard !Readiness.wait(for: [channel.descriptor], timeout: limit).isEmpty else {
                throw .deaf(process: peer.process)
            }
            switch channel.receive(json: ServiceReply.self) {
            case .interface(let interface): interfaces.append(interface)
            case .failed(let error):
                waitForEnd(of: channel)
                throw error
            case .done:
                waitForEnd(of: channel)
                return interfaces
            case nil: return nil
            }
        }
    }
}
