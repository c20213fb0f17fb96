import DataPlane
import LinkModel
import LinkUnits
import LinuxKernel
import SystemPackage

/// The process that will end conditions, as seen by the process that applies them.
///
/// It starts before the conditions do: whatever happens to the caller, the watcher ends them.
struct Watcher {
    /// What it reports when it is ready.
    static let readiness = "ready"

    private static let startLimit = Duration.seconds(20)
    private let program: DetachedProgram

    /// How many watchers may be killed before the conditions are given up.
    private static let attempts = 3

    /// Does work that makes conditions, and returns when a watcher is alive that will end them.
    ///
    /// If there is none any more, it removes what was made: conditions with a limit must not stay
    /// forever.
    static func guarding<Value>(
        _ limit: TimeLimit, after duration: Duration?, ends subject: WatchedSubject = .conditions,
        _ work: () throws -> Value
    ) throws -> Value {
        let first = try Watcher(limit, after: duration, ends: subject)
        let result = Result { try work() }
        let value: Value
        do {
            value = try result.get()
        } catch {
            first.release()
            throw error
        }
        if first.release() { return value }
        for _ in 1..<attempts {
            guard let next = try? Watcher(limit, after: duration, ends: subject) else { continue }
            if next.release() { return value }
        }
        try subject.clear(endedBy: limit.watcher)
        throw killed
    }

    /// Starts the watcher in the calling thread's network namespace.
    init(_ limit: TimeLimit, after duration: Duration?, ends subject: WatchedSubject = .conditions)
        throws
    {
        // A process ID may be reused, but not while a file descriptor holds it here.
        let process = try limit.process.map(Self.hold)
        var arguments = ["watch", limit.watcher]
        if let duration { arguments += ["--for", duration.unitText] }
        if let until = limit.until { arguments += ["--until", Timestamp.text(until)] }
        if let process = limit.process { arguments += ["--until-exit-of", "\(process)"] }
        if subject == .overrides { arguments.append("--overrides") }
        program = try DetachedProgram(arguments: arguments)
        let said = program.hear(within: Self.startLimit) ?? "it takes too long"
        if let number = limit.process, process?.hasEnded == true { throw Self.ended(number) }
        guard said == Self.readiness else {
            throw HostError(
                "the process that would end the conditions did not start"
                    + (said.isEmpty ? "" : ": \(said)"), status: .unavailable)
        }
    }

    /// The watcher was killed while it was needed.
    static var killed: HostError {
        HostError(
            "the process that would end the conditions was killed, so that they were "
                + "taken away again", status: .unavailable)
    }

    /// Releases the watcher: the conditions are active, or never will be.
    ///
    /// - Returns: Whether it is still there to end them.
    @discardableResult
    func release() -> Bool { program.release() }

    private static func hold(_ process: Int32) throws -> ProcessDescriptor {
        do {
            return try ProcessDescriptor(process)
        } catch {
            guard error.errno == .noSuchProcess else { throw error }
            throw ended(process)
        }
    }

    private static func ended(_ process: Int32) -> HostError {
        HostError("--until-exit-of \(process): there is no such process (any more)")
    }
}
