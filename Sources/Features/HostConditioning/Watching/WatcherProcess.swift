import DataPlane
import LinuxKernel

/// The process that ends conditions or overrides, as seen from inside. `Watcher` starts it.
///
/// It ends with its interfaces and their namespace (`WatchedNamespace`).
public struct WatcherProcess {
    private let watcher: String
    private let subject: WatchedSubject
    private let duration: Duration?
    private let process: Int32?

    /// In seconds, as long as `apply` waits for the engine.
    private static let patience = 30

    /// - Parameters:
    ///   - watcher: The name in the marks of the conditions.
    ///   - duration: How long it waits.
    ///   - process: The process whose exit it waits for.
    public init(
        _ watcher: String, ends subject: WatchedSubject, after duration: Duration?,
        exitOf process: Int32?
    ) {
        self.watcher = watcher
        self.subject = subject
        self.duration = duration
        self.process = process
    }

    /// Waits, and then ends the conditions or overrides.
    public func run(environment: [String: String]) throws {
        let (post, alarm) = try begin(environment)
        let isCallerDone = DetachedProgram.waitForRelease()
        if try isNeeded(afterKilledCaller: !isCallerDone) {
            var place = try WatchedNamespace(subject, watcher: watcher)
            place.waitForEnd(or: alarm)
            try place.clear()
        }
        post?.leave()
    }

    /// Gets ready and reports that, or the error, to the caller. If anything goes wrong later,
    /// `status` sees the watcher's post empty.
    private func begin(_ environment: [String: String]) throws -> (WatcherPost?, EndAlarm) {
        do {
            let post = try takePost(environment)
            let alarm = try EndAlarm(after: duration, exitOf: process)
            DetachedProgram.report(Watcher.readiness)
            return (post, alarm)
        } catch {
            DetachedProgram.report("\(error)")
            throw error
        }
    }

    /// A sandbox may have no place for files; an override does not need the post there.
    private func takePost(_ environment: [String: String]) throws -> WatcherPost? {
        do {
            return try WatcherPost(watcher, environment: environment)
        } catch {
            guard subject == .overrides else { throw error }
            return nil
        }
    }

    /// Whether there may be anything to end. Overrides may already be in another namespace, where
    /// `WatchedNamespace` looks.
    ///
    /// A killed caller may have left a request that the packet engine is still carrying out. Until
    /// it has finished, the engine does not tell what it conditions.
    private func isNeeded(afterKilledCaller wasKilled: Bool) throws -> Bool {
        guard case .conditions = subject else { return true }
        for _ in 0..<(wasKilled ? Self.patience : 0) {
            if let found = try? subject.interfaces(endedBy: watcher) { return !found.isEmpty }
            _ = Readiness.wait(for: [], timeout: .seconds(1))
        }
        return try !subject.interfaces(endedBy: watcher).isEmpty
    }
}
