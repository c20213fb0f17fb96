import DataPlane
import LinuxKernel

/// The process that ends conditions or overrides, as it sees itself. `Watcher` starts it.
///
/// It ends with its interfaces and their namespace (`WatchedNamespace`).
public struct WatcherProcess {
    private let watcher: String
    private let subject: WatchedSubject
    private let duration: Duration?
    private let process: Int32?

    /// As long, in seconds, as `apply` waits for the engine.
    private static let patience = 30

    /// - Parameters:
    ///   - watcher: the name in the marks of the conditions.
    ///   - duration: how long it waits.
    ///   - process: the process that it waits for.
    public init(
        _ watcher: String, ends subject: WatchedSubject, after duration: Duration?,
        exitOf process: Int32?
    ) {
        self.watcher = watcher
        self.subject = subject
        self.duration = duration
        self.process = process
    }

    /// Waits, and ends what it is there for.
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

    /// Gets ready, and tells the caller so, or why not. Whatever goes wrong later, `status` sees
    /// the post empty.
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

    /// In a sandbox there may be no place for files; nobody misses the post of an override there.
    private func takePost(_ environment: [String: String]) throws -> WatcherPost? {
        do {
            return try WatcherPost(watcher, environment: environment)
        } catch {
            guard subject == .overrides else { throw error }
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
}
