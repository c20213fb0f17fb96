import DataPlane
import LinuxKernel
import SystemPackage

/// Talks to the packet engine of the calling thread's network namespace.
enum EngineClient {
    private static let startLimit = Duration.seconds(40)
    /// Hundreds of interfaces take some seconds.
    private static let patience = Duration.seconds(30)
    /// Requests without a change are answered at once, unless the engine hangs.
    private static let shortPatience = Duration.seconds(5)
    private static let attempts = 5
    private static let pause = Duration.milliseconds(50)

    /// Conditions the interfaces with these indexes, all or none; starts an engine if none runs.
    ///
    /// Requires root. Returns all conditions that the engine then has, in their order of
    /// precedence.
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

    /// The conditions of the engine; nil if none runs. Requires no privilege.
    static func status() throws(EngineError) -> [ConditionedInterface]? {
        try ask(nil, id: .random(in: .min ... .max), within: shortPatience)
    }

    /// Removes the conditions of the interfaces with these indexes (nil: all) and of this name
    /// (nil: any), and waits for the engine to end if it has nothing left to do.
    ///
    /// Requires root. Returns the removed conditions; nil if no engine runs any more.
    static func remove(
        _ indices: [Int32]?, name: String?
    ) throws(EngineError) -> [ConditionedInterface]? {
        try ask(
            .remove(interfaces: indices, name: name), id: .random(in: .min ... .max),
            within: patience)
    }

    /// Kills the engine, whatever it is doing; the kernel then lets traffic flow.
    static func kill() {
        guard let line = try? EngineLine.open(patience: .seconds(1), forChange: true) else {
            return
        }
        try? line.process?.kill()
        // The connection closes when the process ends.
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

    /// Sends a request, and repeats it under the same ID while its reply is lost; nil if no engine
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
