import LinuxKernel
import Netlink
import SystemPackage

/// The network namespace whose conditions or overrides a watcher ends.
///
/// The watcher sits in a namespace of its own: in that of the interfaces it would keep a container's
/// network alive that everybody else has left. The kernel tells it there when an interface or the
/// namespace is gone; to look after what it ends it goes back for a moment. An override goes with
/// its interface into another namespace, and the watcher follows it.
struct WatchedNamespace {
    private let subject: WatchedSubject
    private let watcher: String
    /// The namespace of the interfaces.
    private var inode: UInt64
    /// The watcher's own; nil where it could not make one, and stays with the interfaces.
    private let home: FileDescriptor?
    private var events: [NetlinkEvents]

    /// How often what goes away is looked at: interfaces often go many at a time.
    private static let pause = Duration.seconds(1)
    private static let retries = 10

    /// Leaves the calling thread's namespace, which is the one that is watched.
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

    /// Returns when the time has come, or nothing is there any more that would have to be ended.
    mutating func waitForEnd(or alarm: EndAlarm) {
        while true {
            let ready = Readiness.wait(for: alarm.descriptors + events.map(\.descriptor))
            if ready.contains(where: alarm.descriptors.contains) { return }
            var isEnd = false
            for event in events where ready.contains(event.descriptor) {
                // Nothing to read means that there was more to tell than the kernel could keep.
                let changes = (try? event.next(within: .zero)) ?? []
                isEnd = isEnd || changes.isEmpty || NetlinkEvents.haveEnd(changes)
            }
            guard isEnd else { continue }
            // What goes with it goes at the same time.
            let isTime = !Readiness.wait(for: alarm.descriptors, timeout: Self.pause).isEmpty
            if isTime || !isNeeded() { return }
        }
    }

    /// Whether an interface is still there, here or where it was moved to.
    private mutating func isNeeded() -> Bool {
        let (subject, watcher) = (subject, watcher)
        let stands = { () throws in try subject.hasInterface(endedBy: watcher) }
        // What cannot be asked may be there.
        if (try? visit(inode, stands)) ?? true { return true }
        guard home != nil, case .overrides = subject else { return false }
        for _ in 0..<Self.retries {
            var areAllAsked = true
            for other in NetworkNamespace.allInodes() where other != inode {
                do {
                    guard try visit(other, stands) else { continue }
                } catch {
                    areAllAsked = false
                    continue
                }
                follow(into: other)
                return true
            }
            if areAllAsked { return false }
            // One that changes just now, or is going, could not be asked.
            _ = Readiness.wait(for: [], timeout: Self.pause)
        }
        return false
    }

    /// Goes on in the namespace to which the interface was moved.
    private mutating func follow(into other: UInt64) {
        inode = other
        guard let path = NetworkNamespace.path(ofInode: other),
            let namespace = try? NetworkNamespace.open(path)
        else { return }
        if let more = try? NetlinkEvents(ofOther: namespace) { events.append(more) }
        try? namespace.close()
    }

    /// Ends what is to be ended. Tries more than once: nobody else will.
    mutating func clear() throws {
        // It may have been moved in the moment in which the time came.
        _ = isNeeded()
        for _ in 1..<Self.retries {
            if (try? clearOnce()) != nil { return }
            _ = Readiness.wait(for: [], timeout: .seconds(1))
        }
        try clearOnce()
    }

    private func clearOnce() throws {
        let (subject, watcher) = (subject, watcher)
        _ = try visit(inode) { () throws -> Bool in
            try subject.clear(endedBy: watcher)
            return true
        }
    }

    /// Does something in a namespace, where that is still there; else false.
    private func visit(_ inode: UInt64, _ body: () throws -> Bool) throws -> Bool {
        guard let home else { return try body() }
        guard let path = NetworkNamespace.path(ofInode: inode) else { return false }
        let namespace = try NetworkNamespace.open(path)
        defer { try? namespace.close() }
        // Another one may have got the number meanwhile; there is nothing of this watcher's in it.
        try NetworkNamespace.enter(namespace)
        let result = Result { try body() }
        try NetworkNamespace.enter(home)
        return try result.get()
    }
}
