import DataPlane
import LinuxKernel
import SystemPackage

/// Talks to the packet engine of the calling thread's network namespace.
enum EngineClient {
    private static let startLimit = Duration.seconds(40)
    /// Hundreds of interfaces take some seconds.
    private static let patience = Duration.seconds(30)
    /// What is asked without a change is answered at once, unless the engine hangs.
    private static let shortPatience = Duration.seconds(5)
    private static let attempts = 5
    private static let pause = Duration.milliseconds(50)

    /// Conditions the interfaces with these indexes, all or none; starts an engine where none runs.
    ///
    /// Requires root. Returns all that the engine conditions then, in the order in which it chooses
    /// packets.
    static func apply(
        _ request: ApplyRequest, on interfaces: [Int32]
    ) throws(EngineError) -> [ConditionedInterface] {
        let files = try TraceFiles(for: request.conditions)
        let request = EngineRequest(apply: request, interfaces: interfaces)
        let id = UInt64.random(in: .min ... .max)
        for _ in 0..<attempts {
            let answer = try ask(
                .apply(request), id: id, with: files.descriptors, within: patience)
            if let answer { return answer }
            try start()
        }
        throw EngineError("the packet engine ended as soon as it had started; try again")
    }

    /// What the engine conditions; nil if none runs. Needs no privilege.
    static func status() throws(EngineError) -> [ConditionedInterface]? {
        try ask(nil, id: .random(in: .min ... .max), within: shortPatience)
    }

    /// Takes away the conditions of the interfaces with these indexes, or of all, under this name
    /// or any, and waits for the engine to end if it has nothing more to do.
    ///
    /// Requires root. Returns what was conditioned; nil if no engine runs any more.
    static func remove(
        _ indices: [Int32]?, name: String?
    ) throws(EngineError) -> [ConditionedInterface]? {
        try ask(
            .remove(interfaces: indices, name: name), id: .random(in: .min ... .max),
            within: patience)
    }

    /// Kills the engine, whatever it does; the kernel lets traffic flow.
    static func kill() {
        guard let line = try? EngineLine.open(patience: .seconds(1), forChange: true) else {
            return
        }
        try? line.process?.kill()
        // The connection ends with the process.
        _ = Readiness.wait(for: [line.channel.descriptor], timeout: shortPatience)
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
        case nil: throw EngineError("the packet engine did not become ready; try again")
        case let text?:
            let words = text.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2, let fault = EngineError.Fault(rawValue: words[0]) else {
                throw EngineError("the packet engine ended before it was ready")
            }
            throw EngineError(words[1], fault: fault)
        }
    }

    /// Asks the engine, once more under the same number as long as the answer is lost; nil if none
    /// runs, or none any more.
    private static func ask(
        _ change: ServiceRequest.Change?, id: UInt64, with files: [FileDescriptor] = [],
        within limit: Duration
    ) throws(EngineError) -> [ConditionedInterface]? {
        var lastProcess: Int32 = 0
        for attempt in 0..<attempts {
            if attempt > 0 { _ = Readiness.wait(for: [], timeout: pause * attempt) }
            let line = try EngineLine.open(patience: limit, forChange: change != nil)
            guard let line else { return nil }
            lastProcess = line.id
            if let answer = try line.ask(change, id: id, with: files, within: limit) {
                return answer
            }
        }
        throw .mute(process: lastProcess)
    }
}
