import LinuxKernel
import Netlink
import SystemPackage

/// Waits for changes of the network and computes the path after each.
///
/// The contents of kernel notifications are ignored, because they are incomplete: some changes,
/// such as routes that vanish with an interface, are never reported, and notifications are lost
/// when the socket overflows. (A mark on an interface that is down is not reported either; it is
/// seen when the interface comes up.) So everything is read again after each one. Parts of the
/// answer may be from different moments; to avoid a path that never existed, the state is read
/// until nothing changes in the meantime.
final class PathWatch: Sendable {
    private let stopSign: WakeUp
    private let namespace: FileDescriptor?

    /// How long it must be quiet before the state is read. A change is several events, and
    /// unreported changes happen right after the last of them.
    private static let quiet = Duration.milliseconds(2)
    /// The longest wait for quiet.
    private static let patience = Duration.milliseconds(20)
    /// How often the state is read while it changes. After that, the answer is accepted.
    private static let attempts = 100

    /// Prepares to watch the network namespace of a file descriptor that stays open, or for nil
    /// that of the thread that calls `run`.
    init(namespace: FileDescriptor? = nil) throws {
        self.namespace = namespace
        stopSign = try WakeUp()
    }

    /// Ends `run`.
    func stop() { stopSign.signal() }

    /// Reports the path, and again whenever something may have changed, until `stop` is called or
    /// `tell` returns false.
    func run(_ tell: (NetworkPath) throws -> Bool) throws {
        let (events, session) = try openSockets()
        while try tell(try steadySnapshot(session, events).path), waitForChange(events) {
            settle(events)
        }
    }

    /// Sockets stay in the namespace in which they were opened.
    private func openSockets() throws -> (NetlinkEvents, NetlinkSession) {
        let home = try namespace.map { _ in try NetworkNamespace.openCurrent() }
        defer { try? home?.close() }
        if let namespace { try NetworkNamespace.enter(namespace) }
        let sockets = Result {
            (try NetlinkEvents([.links, .addresses, .routes]), try NetlinkSession())
        }
        if let home { try NetworkNamespace.enter(home) }
        return try sockets.get()
    }

    /// Waits for a change; false at the end.
    private func waitForChange(_ events: NetlinkEvents) -> Bool {
        let stop = stopSign.descriptor
        return !Readiness.wait(for: [events.descriptor, stop]).contains(stop)
    }

    /// Waits until the kernel has sent all notifications of a change.
    private func settle(_ events: NetlinkEvents) {
        let end = ContinuousClock.now + Self.patience
        repeat {
            discard(events)
            let ready = Readiness.wait(
                for: [events.descriptor, stopSign.descriptor], timeout: Self.quiet)
            guard ready == [events.descriptor] else { return }
        } while ContinuousClock.now < end
    }

    private func steadySnapshot(
        _ session: NetlinkSession, _ events: NetlinkEvents
    ) throws(NetlinkError) -> NetworkSnapshot {
        for _ in 1..<Self.attempts {
            discard(events)
            if let snapshot = try snapshot(session), !hasNews(events) { return snapshot }
        }
        return try NetworkSnapshot(reading: session)
    }

    /// The state; nil if it changed too fast for the kernel to report.
    private func snapshot(_ session: NetlinkSession) throws(NetlinkError) -> NetworkSnapshot? {
        do {
            return try NetworkSnapshot(reading: session)
        } catch  where error.errno == .interrupted {
            return nil
        }
    }

    private func hasNews(_ events: NetlinkEvents) -> Bool {
        !Readiness.wait(for: [events.descriptor], timeout: .zero).isEmpty
    }

    /// Empties the socket, so that it becomes readable again with the next notification.
    private func discard(_ events: NetlinkEvents) {
        while hasNews(events) {
            // An error, such as a socket overflow, is returned once.
            _ = try? events.next(within: .zero)
        }
    }
}
