import LinuxKernel
import Netlink
import SystemPackage

/// The network namespace whose conditions or overrides a watcher ends.
///
/// The watcher lives in its own network namespace: in that of the interfaces, it would keep a
/// container's network alive after everybody else has left. The kernel notifies it there when an
/// interface or the namespace vanishes; to check and clear, it returns for a moment. An override
/// moves with its interface into another namespace, and the watcher follows it.
struct WatchedNamespace {
    private let subject: WatchedSubject
    private let watcher: String
    /// The namespace of the interfaces.
    private var inode: UInt64
    /// The watcher's own; nil if it could not make one and stays with the interfaces.
    private let home: FileDescriptor?
    private var events: [NetlinkEvents]

    /// The pause between checks after something vanished: interfaces often vanish in groups.
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
        while true {
            let ready = Readiness.wait(for: alarm.descriptors + events.map(\.descriptor))
            if ready.contains(where: alarm.descriptors.contains) { return }
            var isEnd = false
            for event in events where ready.contains(event.descriptor) {
                // An empty read means that the kernel dropped notifications.
                let changes = (try? event.next(within: .zero)) ?? []
                isEnd = isEnd || changes.isEmpty || NetlinkEvents.haveEnd(changes)
            }
            guard isEnd else { continue }
            // Interfaces often vanish in groups: one check after the pause covers all of them.
            let isTime = !Readiness.wait(for: alarm.descriptors, timeout: Self.pause).isEmpty
            if isTime || !isNeeded() { return }
        }
    }

    /// Whether an interface still exists, here or where it was moved.
    private mutating func isNeeded() -> Bool {
        let isHere = try? visit(inode, hasInterface)
        if isHere == true { return true }
        // If the namespace cannot be queried, assume that it does.
        return hasMoved() || isHere == nil
    }

    /// Whether an interface is in another namespace now, which is watched from here on.
    private mutating func hasMoved() -> Bool {
        guard home != nil, case .overrides = subject else { return false }
        for _ in 0..<Self.retries {
            var areAllAsked = true
            for other in NetworkNamespace.allInodes() where other != inode {
                do {
                    guard try visit(other, hasInterface) else { continue }
                } catch {
                    areAllAsked = false
                    continue
                }
                follow(into: other)
                return true
            }
            if areAllAsked { return false }
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
        _ = try visit(inode) { () throws -> Bool in
            try subject.clear(endedBy: watcher)
            return true
        }
    }

    private func hasInterface() throws -> Bool { try subject.hasInterface(endedBy: watcher) }

    /// Runs `body` in a namespace if it still exists; otherwise returns false.
    private func visit(_ inode: UInt64, _ body: () throws -> Bool) throws -> Bool {
        guard let home else { return try body() }
        guard let namespace = try NetworkNamespace.open(inode: inode) else { return false }
        defer { try? namespace.close() }
        // Another namespace may have got the inode number; it has nothing of this watcher's.
        try NetworkNamespace.enter(namespace)
        let result = Result { try body() }
        try NetworkNamespace.enter(home)
        return try result.get()
    }
}
