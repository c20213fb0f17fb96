import LinuxKernel
import Netlink
import NetworkPath
import SystemPackage

/// The network namespace whose conditions or overrides a watcher ends.
///
/// The watcher lives in its own network namespace: in that of the interfaces, it would keep a
/// container's network alive after everybody else has left. The kernel notifies it there when an
/// interface, its override or the namespace vanishes; to check and clear, it returns for a moment.
/// An override moves with its interface into another namespace, and the watcher follows it. Nobody
/// else can tell that nothing is left for it to end: that takes a look into all namespaces.
struct WatchedNamespace {
    private let subject: WatchedSubject
    private let watcher: String
    /// The namespace of the interfaces.
    private var inode: UInt64
    /// The indexes of those that were there at the last check.
    private var interfaces: Set<Int32> = []
    /// The watcher's own; nil if it could not make one and stays with the interfaces.
    private let home: FileDescriptor?
    private var events: [NetlinkEvents]

    /// The pause between checks after something vanished.
    private static let pause = Duration.seconds(1)
    private static let retries = 10

    /// Leaves the calling thread's namespace, which is the watched one.
    init(_ subject: WatchedSubject, watcher: String) throws {
        self.subject = subject
        self.watcher = watcher
        inode = try NetworkNamespace.currentInode()
        let namespace = try NetworkNamespace.openCurrent()
        defer { try? namespace.close() }
        guard (try? Namespaces.network.unshare()) != nil else {
            home = nil
            events = [try? NetlinkEvents([.links])].compactMap { $0 }
            return
        }
        home = try NetworkNamespace.openCurrent()
        events = [try? NetlinkEvents(ofOther: namespace)].compactMap { $0 }
    }

    /// Returns when the time has come, or when nothing is left to end.
    mutating func waitForEnd(or alarm: EndAlarm) {
        // The first check covers what happened before the kernel's first notification.
        while isNeeded(), waitForLoss(or: alarm) {
            // Interfaces often vanish in groups, and a failed change of overrides is taken back:
            // one check after the pause covers all of it.
            guard Readiness.wait(for: alarm.descriptors, timeout: Self.pause).isEmpty else {
                return
            }
        }
    }

    /// Waits until something may have vanished; false: the time has come.
    private func waitForLoss(or alarm: EndAlarm) -> Bool {
        while true {
            let ready = Readiness.wait(for: alarm.descriptors + events.map(\.descriptor))
            if ready.contains(where: alarm.descriptors.contains) { return false }
            for event in events where ready.contains(event.descriptor) {
                // An empty read means that the kernel dropped notifications.
                let changes = (try? event.next(within: .zero)) ?? []
                guard !changes.isEmpty, !NetlinkEvents.haveEnd(changes),
                    !changes.contains(where: takesOverride)
                else { return true }
            }
        }
    }

    /// Whether an interface lost its override by this change.
    private func takesOverride(_ change: NetlinkMessage) -> Bool {
        guard case .overrides = subject, let link = Link(change), interfaces.contains(link.index)
        else { return false }
        return NetworkMark(alias: link.aliasBytes)?.watcher != watcher
    }

    /// Whether an interface still exists, here or where it was moved.
    private mutating func isNeeded() -> Bool {
        guard let found = try? findInterfaces(in: inode) else {
            // If the namespace cannot be queried, assume that it does.
            _ = hasMoved()
            return true
        }
        interfaces = found
        return !found.isEmpty || hasMoved()
    }

    /// Whether an interface is in another namespace now, which is watched from here on.
    private mutating func hasMoved() -> Bool {
        guard home != nil, case .overrides = subject else { return false }
        var hasAskedAll = false
        for _ in 0..<Self.retries {
            var areAllAsked = true
            for other in NetworkNamespace.allInodes() where other != inode {
                do {
                    let found = try findInterfaces(in: other)
                    guard !found.isEmpty else { continue }
                    interfaces = found
                } catch {
                    areAllAsked = false
                    continue
                }
                follow(into: other)
                return true
            }
            // One that is being moved is in no namespace for a moment.
            if areAllAsked, hasAskedAll { return false }
            hasAskedAll = areAllAsked
            // A namespace that is changing or vanishing could not be queried.
            _ = Readiness.wait(for: [], timeout: Self.pause)
        }
        return false
    }

    /// Continues in the namespace to which the interface was moved.
    private mutating func follow(into other: UInt64) {
        inode = other
        guard let namespace = try? NetworkNamespace.open(inode: other) else { return }
        if let more = try? NetlinkEvents(ofOther: namespace) { events.append(more) }
        try? namespace.close()
    }

    /// Ends the conditions or overrides. Tries more than once, because nothing else will.
    mutating func clear() throws {
        // An interface may have been moved just before the time came.
        _ = isNeeded()
        for _ in 1..<Self.retries {
            if (try? clearOnce()) == nil {
                _ = Readiness.wait(for: [], timeout: Self.pause)
                continue
            }
            // Or it is moved between the search and the removal.
            guard case .overrides = subject, isNeeded() else { return }
        }
        try clearOnce()
    }

    private func clearOnce() throws {
        try visit(inode) { try subject.clear(endedBy: watcher) }
    }

    private func findInterfaces(in inode: UInt64) throws -> Set<Int32> {
        try visit(inode) { try subject.interfaces(endedBy: watcher) } ?? []
    }

    /// Runs `body` in a namespace; nil if that does not exist any more.
    @discardableResult
    private func visit<Value>(_ inode: UInt64, _ body: () throws -> Value) throws -> Value? {
        guard let home else { return try body() }
        guard let namespace = try NetworkNamespace.open(inode: inode) else { return nil }
        defer { try? namespace.close() }
        // Another namespace may have got the inode number; it has nothing of this watcher's.
        try NetworkNamespace.enter(namespace)
        let result = Result { try body() }
        try NetworkNamespace.enter(home)
        return try result.get()
    }
}
