import ArgumentParser
import Conditioner
import DataPlanes
import FoundationEssentials
import LinkUnits
import LinuxKernel
import NetworkOverride
import SystemPackage

/// `linkcond watch`: the process that ends conditions, started by `apply` with `--for` or
/// `--until-exit-of`.
///
/// It sits in a network namespace of its own: in that of the conditions it would keep a container's
/// network alive that everybody else has left. To end them it looks for their namespace again.
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

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        let (post, alarm) = try begin(environment)
        let isCallerDone = DetachedProgram.waitForRelease()
        guard try findConditions(environment, patiently: !isCallerDone) else {
            post?.leave()
            return
        }
        try watch(alarm, environment)
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

    /// Whether there is anything to end. What a caller that was killed has asked of the packet
    /// engine may still come.
    private func findConditions(
        _ environment: [String: String], patiently isPatient: Bool
    ) throws -> Bool {
        for _ in 0..<(isPatient ? Self.patience : 0) {
            if try hasConditions(environment) { return true }
            _ = Readiness.wait(for: [], timeout: .seconds(1))
        }
        return try hasConditions(environment)
    }

    private func hasConditions(_ environment: [String: String]) throws -> Bool {
        overrides
            ? try NetworkOverride.hasOverrides(endedBy: watcher)
            : try DataPlanes(environment: environment).hasConditions(endedBy: watcher)
    }

    private func watch(_ alarm: EndAlarm, _ environment: [String: String]) throws {
        let inode = try NetworkNamespace.currentInode()
        let isElsewhere = (try? Namespaces.network.unshare()) != nil
        alarm.wait()
        if isElsewhere {
            guard let path = NetworkNamespace.path(ofInode: inode) else { return }
            let namespace = try NetworkNamespace.open(path)
            defer { try? namespace.close() }
            try NetworkNamespace.enter(namespace)
        }
        try clear(environment)
    }

    /// Tries more than once: nobody else will.
    private func clear(_ environment: [String: String]) throws {
        for _ in 0..<Self.retries {
            do {
                return try clearOnce(environment)
            } catch {
                _ = Readiness.wait(for: [], timeout: .seconds(1))
            }
        }
        try clearOnce(environment)
    }

    private func clearOnce(_ environment: [String: String]) throws {
        if overrides {
            _ = try NetworkOverride.clear(endedBy: watcher)
        } else {
            try DataPlanes(environment: environment).clear(endedBy: watcher)
        }
    }

    private static let retries = 10
    /// As long, in seconds, as `apply` waits for the engine.
    private static let patience = 30
}

/// What ends conditions with a limit.
private struct EndAlarm {
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

    /// Returns when it has come.
    func wait() {
        let descriptors = [timer?.descriptor, process?.descriptor].compactMap { $0 }
        while Readiness.wait(for: descriptors).isEmpty {}
    }
}
