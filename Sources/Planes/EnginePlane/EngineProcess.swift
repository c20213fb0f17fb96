import DataPlane
import Glibc
import LinuxKernel
import Netlink
import SystemPackage

/// The running engine.
struct EngineProcess: ~Copyable {
    private let signals: SignalDescriptor
    private var listener: EngineListener
    private let events: NetlinkEvents
    private var room: EngineState
    private let heartbeat: Heartbeat
    private var namespaceUsers = NamespaceUsers()
    private var outcomes = ServiceOutcomes()
    private var hasServed = false
    /// The clients that were answered when nothing was left to do. The end of the process closes
    /// their connections, which notifies them.
    private var lastVisitors: [EngineConnection] = []
    /// When the last of them was answered.
    private var farewell = Duration.zero

    private static let roundInterval = Duration.milliseconds(500)
    private static let tickInterval = Duration.seconds(1)
    private static let lookInterval = Duration.seconds(3)
    /// How long it waits for a first request.
    private static let idleLimit = Duration.seconds(10)
    /// How long a check of its loops may take.
    private static let roundLimit = Duration.seconds(3)
    /// How long the last client may take to check the process that has replied.
    private static let farewellLimit = Duration.seconds(2)
    /// How long a request may take.
    private static let workLimit = Duration.seconds(60)

    static func open(_ beats: HeartbeatPipe) throws -> EngineProcess {
        // Before any thread starts, so that no thread receives these signals.
        let signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP])
        try EngineDescriptors.secure()
        let listener = try EngineListener(name: EngineServer.name)
        let room = try EngineState.open()
        let heartbeat = try Heartbeat(
            beats, gate: room.hooks.gate, lease: room.lease, allowing: workLimit)
        return EngineProcess(
            signals: signals, listener: listener, events: try NetlinkEvents([.links]), room: room,
            heartbeat: heartbeat)
    }

    mutating func run() {
        let beginning = KernelClock.monotonic
        var (lastTick, lastLook) = (beginning, beginning)
        while true {
            heartbeat.allow(Self.roundLimit)
            room.lookAfterLoops()
            let watched =
                [signals.descriptor, events.descriptor]
                + [room.hooks.descriptor].compactMap { $0 }
            let ready = Readiness.wait(
                for: watched + listener.descriptors + present.map(\.channel.descriptor),
                timeout: Self.roundInterval)
            heartbeat.allow(Self.workLimit)
            if isToldToEnd() { break }
            // Either the hooks are gone, or no guardian protects against a hang.
            if room.hooks.hasEnded { return room.abandon(.hooks) }
            if heartbeat.isUnguarded { return room.abandon(.guardian) }
            if ready.contains(events.descriptor) { followInterfaces() }
            for connection in present where ready.contains(connection.channel.descriptor) {
                connection.hasLooked = true
            }
            for question in listener.questions(ready) { answer(question) }
            let now = KernelClock.monotonic
            if now - lastTick >= Self.tickInterval {
                room.tick()
                lastTick = now
            }
            if now - lastLook >= Self.lookInterval {
                let own = [Process.parent, room.hooks.process].compactMap { $0 }
                if namespaceUsers?.haveLeft(besides: own) == true { break }
                listener.stayReachable()
                lastLook = now
            }
            let hasSaidFarewell = present.isEmpty || now - farewell > Self.farewellLimit
            if isDone && hasSaidFarewell || room.isEmpty && now - beginning > Self.idleLimit {
                break
            }
        }
        _ = room.remove(nil)
    }

    private var isDone: Bool { hasServed && room.isEmpty }

    /// The last connections without an acknowledgement. A client trusts a reply only after checking
    /// the process that sent it, which has to be alive for that. Others are served meanwhile.
    private var present: [EngineConnection] { lastVisitors.filter { !$0.hasLooked } }

    private func isToldToEnd() -> Bool {
        while let signal = signals.next() {
            // The engine ignores the hangup of the terminal it was started from.
            if signal.number != SIGHUP { return true }
        }
        return false
    }

    private mutating func followInterfaces() {
        // Changes usually come in groups.
        while let changes = try? events.next(within: .zero), !changes.isEmpty {}
        room.followInterfaces()
    }

    private mutating func answer(_ question: EngineListener.Question) {
        let outcome: ServiceOutcomes.Outcome
        if let change = question.change {
            // A client that missed the reply asks again.
            outcome = outcomes[question.id] ?? carryOut(change, question.message.files)
            outcomes[question.id] = outcome
            hasServed = true
            if isDone {
                lastVisitors.append(question.connection)
                farewell = KernelClock.monotonic
            } else {
                lastVisitors = []
            }
        } else {
            outcome = .applied
        }
        let channel = question.connection.channel
        func reply(_ content: ServiceReply.Content) -> Bool {
            channel.send(json: ServiceReply(id: question.id, content: content))
        }
        let interfaces: [ConditionedInterface]
        switch outcome {
        case .failed(let error): return question.connection.refuse(error, id: question.id)
        case .applied: interfaces = room.status
        case .removed(let removed): interfaces = removed
        }
        guard interfaces.allSatisfy({ reply(.interface($0)) }) else { return }
        _ = reply(.done)
    }

    private mutating func carryOut(
        _ change: ServiceRequest.Change, _ files: [FileDescriptor]
    ) -> ServiceOutcomes.Outcome {
        switch change {
        case .remove(let interfaces, let name):
            return .removed(room.remove(interfaces, name: name))
        case .apply(let request):
            do throws(EngineError) {
                try room.apply(request, try request.apply.traces(from: files))
                return .applied
            } catch {
                return .failed(error)
            }
        }
    }
}
