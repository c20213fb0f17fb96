import ArgumentParser
import Conditioner
import FoundationEssentials
import LinkUnits
import LinuxKernel
import SystemPackage

/// `linkcond watch`: the process that ends conditions, started by `apply` with `--for` or
/// `--until-exit-of`.
///
/// It ends with its interfaces and their namespace (`WatchedNamespace`).
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Ends conditions when their time has come.",
        discussion: """
            Example:
              linkcond watch 3w5e11264sgsf --for 10m --until 2026-11-21T18:45:00Z
            """, shouldDisplay: false)

    @Argument(help: "The name in the marks of the conditions.")
    var watcher: String

    @Option(
        name: .customLong("for"), help: "How long it waits.",
        transform: DurationArgument.parse)
    var duration: Duration?

    @Option(help: "The process that it waits for.")
    var untilExitOf: Int32?

    @Option(help: "When the time has come, for people who see this process.")
    var until: String?

    @Flag(help: "It ends overrides, not conditions.")
    var overrides = false

    private var subject: Watcher.Subject { overrides ? .overrides : .conditions }

    func run() throws {
        let (post, alarm) = try begin(ProcessInfo.processInfo.environment)
        let isCallerDone = DetachedProgram.waitForRelease()
        if try isNeeded(afterKilledCaller: !isCallerDone) {
            var place = try WatchedNamespace(subject, watcher: watcher)
            place.waitForEnd(or: alarm)
            try place.clear()
        }
        post?.leave()
    }

    /// Gets ready, and tells the caller so, or why not. Whatever goes wrong later, `status` sees
    /// the post empty.
    private func begin(_ environment: [String: String]) throws -> (WatcherPost?, EndAlarm) {
        do {
            let post = try takePost(environment)
            let alarm = try EndAlarm(after: duration, exitOf: untilExitOf)
            DetachedProgram.report(Watcher.readiness)
            return (post, alarm)
        } catch {
            DetachedProgram.report("\(error)")
            throw error
        }
    }

    /// In a sandbox there may be no place for files; nobody misses the post of an override there.
    private func takePost(_ environment: [String: String]) throws -> WatcherPost? {
        do {
            return try WatcherPost(watcher, environment: environment)
        } catch {
            guard overrides else { throw error }
            return nil
        }
    }

    /// Whether there is anything to end.
    ///
    /// The packet engine may be about to do what a caller has asked it for that was killed; but it
    /// says what it conditions when it has done that, and until then not at all.
    private func isNeeded(afterKilledCaller wasKilled: Bool) throws -> Bool {
        guard wasKilled else { return try subject.stands(endedBy: watcher) }
        for _ in 0..<Self.patience {
            if let stands = try? subject.stands(endedBy: watcher) { return stands }
            _ = Readiness.wait(for: [], timeout: .seconds(1))
        }
        return try subject.stands(endedBy: watcher)
    }

    /// As long, in seconds, as `apply` waits for the engine.
    private static let patience = 30
}

/// What ends conditions with a limit.
struct EndAlarm {
    private let timer: BootTimer?
    private let process: ProcessDescriptor?

    /// Begins to wait for whichever comes first.
    init(after duration: Duration?, exitOf process: Int32?) throws(KernelError) {
        timer = try duration.map { duration throws(KernelError) in
            try BootTimer(endingIn: duration)
        }
        self.process = try process.map { process throws(KernelError) in
            try ProcessDescriptor(process)
        }
    }

    /// What to wait on: one of them has something to read when it has come.
    var descriptors: [FileDescriptor] {
        [timer?.descriptor, process?.descriptor].compactMap { $0 }
    }
}
