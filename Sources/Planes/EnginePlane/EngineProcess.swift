import DataPlane
import Glibc
import LinuxKernel
import Netlink
import SystemPackage

/// The engine at work.
struct EngineProcess: ~Copyable {
    private let signals: SignalDescriptor
    private var listener: EngineListener
    private let events: NetlinkEvents
    private var room: EngineState
    private let heartbeat: Heartbeat
    private var namespaceUsers = NamespaceUsers()
    private var outcomes = ServiceOutcomes()
    private var hasServed = false
    /// Those who were answered when nothing was left to do. The end of the process closes their
    /// connections, which tells them.
    private var lastVisitors: [EngineConnection] = []
    /// When the last of them was answered.
    private var farewell = Duration.zero

    private static let roundInterval = Duration.milliseconds(500)
    private static let tickInterval = Duration.seconds(1)
    private static let lookInterval = Duration.seconds(3)
    /// How long it waits for somebody to have it do anything.
    private static let idleLimit = Duration.seconds(10)
    /// How long it may take to look after its loops.
    private static let roundLimit = Duration.seconds(3)
    /// How long who was answered last may take to look at the process that has answered.
    private static let farewellLimit = Duration.seconds(2)
    /// How long it may take to do what somebody asks for.
    private static let workLimit = Duration.seconds(60)

    private init(
        signals: SignalDescriptor, listener: consuming EngineListener, events: NetlinkEvents,
        room: consuming EngineState, heartbeat: Heartbeat
    ) {
        self.signals = signals
        self.listener = listener
        self.events = events
        self.room = room
        self.heartbeat = heartbeat
    }

    static func open(_ beats: HeartbeatPipe) throws -> EngineProcess {
        // Before any thread, so that none takes these signals.
        let signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP])
        _ = try? DescriptorLimit.raise()
        let listener = try EngineListener(name: EngineServer.name)
        let room = try EngineState.open()
        let heartbeat = try Heartbeat(beats, gate: room.hooks.gate, allowing: workLimit)
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
            // Nobody sends packets here any more, or nobody sees to it that they do not wait.
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

    /// The last connections who have not looked yet: an answer is worth what the process is that sent
    /// it, and that has to live to be looked at. Others are served meanwhile.
    private var present: [EngineConnection] { lastVisitors.filter { !$0.hasLooked } }

    private func isToldToEnd() -> Bool {
        while let signal = signals.next() {
            // The terminal of whoever started it is none of its business.
            if signal.number != SIGHUP { return true }
        }
        return false
    }

    private mutating func followInterfaces() {
        // One change rarely comes alone.
        while let changes = try? events.next(within: .zero), !changes.isEmpty {}
        room.followInterfaces()
    }

    private mutating func answer(_ question: EngineListener.Question) {
        let outcome: ServiceOutcomes.Outcome
        if let change = question.change {
            // Who has not heard the answer asks once more.
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
