import LinuxKernel
import Netlink
import SystemPackage

/// Waits for changes of the network and works out the path after each.
///
/// What the kernel tells of a change is not read but for that something has changed: some changes,
/// such as routes that go with an interface, are never told, and what is told may be lost when the
/// socket overflows. (A mark on an interface that is switched off is not told either, and is seen
/// when that is switched on.) So everything is asked for again. Parts of the answer may be of different
/// moments; a path that was never there is avoided by asking until nothing changes meanwhile.
final class PathWatch: Sendable {
    private let stopSign: WakeUp
    private let namespace: FileDescriptor?

    /// How long there has to be quiet before the network is looked at. A change is several events,
    /// and what is not told happens right behind the last of them.
    private static let quiet = Duration.milliseconds(2)
    /// How long quiet is waited for at most.
    private static let patience = Duration.milliseconds(20)
    /// How often the network is looked at while it changes. After that the answer is believed.
    private static let attempts = 100

    /// Prepares to watch the network namespace behind a descriptor that stays open as long, or for
    /// nil that of the thread that will run.
    init(namespace: FileDescriptor? = nil) throws {
        self.namespace = namespace
        stopSign = try WakeUp()
    }

    /// Ends `run`.
    func stop() { stopSign.signal() }

    /// Tells the path, and again whenever something may have changed, until `stop`, or until
    /// `tell` returns false.
    func run(_ tell: (NetworkPath) throws -> Bool) throws {
        let (events, session) = try openSockets()
        while try tell(try steadySnapshot(session, events).path), waitForChange(events) {
            settle(events)
        }
    }

    /// Sockets stay in the namespace where they were opened, wherever the thread is.
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

    /// Waits for a change; false for the end.
    private func waitForChange(_ events: NetlinkEvents) -> Bool {
        let stop = stopSign.descriptor
        return !Readiness.wait(for: [events.descriptor, stop]).contains(stop)
    }

    /// Waits until the kernel has said all that belongs together.
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

    /// The network; nil if it changed too fast for the kernel to tell.
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

    /// Reads what was said, so that there is something to read again when more is said.
    private func discard(_ events: NetlinkEvents) {
        while hasNews(events) {
            // An error, such as of a socket that has overflowed, is told once.
            _ = try? events.next(within: .zero)
        }
    }
}
