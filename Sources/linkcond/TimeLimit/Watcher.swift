import Conditioner
import LinkUnits
import LinuxKernel
import SystemPackage

/// The process that will end conditions, as the one that applies them sees it.
///
/// It is there before the conditions are: whatever happens to the caller, somebody ends them.
struct Watcher {
    /// What it says when it is ready.
    static let readiness = "ready"

    private static let startLimit = Duration.seconds(20)
    private let program: DetachedProgram

    /// What it ends.
    enum Subject {
        /// What `apply` has applied.
        case conditions
        /// What `override set` has set.
        case overrides
    }

    /// Starts it in the network namespace of the calling thread.
    init(_ limit: TimeLimit, after duration: Duration?, ends subject: Subject = .conditions) throws
    {
        // The number of a process may soon be that of another, but not while it is held here.
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
            throw UnavailableError(
                description: "the process that would end the conditions did not start"
                    + (said.isEmpty ? "" : ": \(said)"))
        }
    }

    /// Leaves it alone: the conditions stand, or never will.
    func release() { program.release() }

    private static func hold(_ process: Int32) throws -> ProcessDescriptor {
        do {
            return try ProcessDescriptor(process)
        } catch {
            guard error.errno == .noSuchProcess else { throw error }
            throw ended(process)
        }
    }

    private static func ended(_ process: Int32) -> UsageError {
        UsageError(description: "--until-exit-of \(process): there is no such process (any more)")
    }
}
