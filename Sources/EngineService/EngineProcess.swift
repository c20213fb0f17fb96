import DataPlane
import Glibc
import LinuxKernel
import Netlink
import SystemPackage

/// The engine at work.
struct EngineProcess: ~Copyable {
    private let signals: SignalDescriptor
    private var desk: ServiceDesk
    private let events: NetlinkEvents
    private var room: EngineRoom
    private let pulse: Pulse
    private var desertion = Desertion()
    private var outcomes = ServiceOutcomes()
    private var hasServed = false
    /// Those who were answered when nothing was left to do. The end of the process closes their
    /// connections, which tells them.
    private var lastVisitors: [Visitor] = []
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
        signals: SignalDescriptor, desk: consuming ServiceDesk, events: NetlinkEvents,
        room: consuming EngineRoom, pulse: Pulse
    ) {
        self.signals = signals
        self.desk = desk
        self.events = events
        self.room = room
        self.pulse = pulse
    }

    static func open(_ beats: BeatPipe) throws -> EngineProcess {
        // Before any thread, so that none takes these signals.
        let signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP])
        _ = try? DescriptorLimit.raise()
        let desk = try ServiceDesk(name: EngineServer.name)
        let room = try EngineRoom.open()
        let pulse = try Pulse(beats, gate: room.hooks.gate, allowing: workLimit)
        return EngineProcess(
            signals: signals, desk: desk, events: try NetlinkEvents([.links]), room: room,
            pulse: pulse)
    }

    mutating func run() {
        let beginning = KernelClock.monotonic
        var (lastTick, lastLook) = (beginning, beginning)
        while true {
            pulse.allow(Self.roundLimit)
            room.lookAfterLoops()
            let watched =
                [signals.descriptor, events.descriptor]
                + [room.hooks.descriptor].compactMap { $0 }
            let ready = Readiness.wait(
                for: watched + desk.descriptors + present.map(\.channel.descriptor),
                timeout: Self.roundInterval)
            pulse.allow(Self.workLimit)
            if isToldToEnd() { break }
            // Nobody sends packets here any more, or nobody sees to it that they do not wait.
            if room.hooks.hasEnded { return room.abandon(.hooks) }
            if pulse.isUnguarded { return room.abandon(.guardian) }
            if ready.contains(events.descriptor) { followInterfaces() }
            for visitor in present where ready.contains(visitor.channel.descriptor) {
                visitor.hasLooked = true
            }
            for question in desk.questions(ready) { answer(question) }
            let now = KernelClock.monotonic
            if now - lastTick >= Self.tickInterval {
                room.tick()
                lastTick = now
            }
            if now - lastLook >= Self.lookInterval {
                let own = [Process.parent, room.hooks.process].compactMap { $0 }
                if desertion?.isCertain(besides: own) == true { break }
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

    /// The last visitors who have not looked yet: an answer is worth what the process is that sent
    /// it, and that has to live to be looked at. Others are served meanwhile.
    private var present: [Visitor] { lastVisitors.filter { !$0.hasLooked } }

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

    private mutating func answer(_ question: ServiceDesk.Question) {
        let outcome: ServiceOutcomes.Outcome
        if let change = question.change {
            // Who has not heard the answer asks once more.
            outcome = outcomes[question.id] ?? carryOut(change, question.message.files)
            outcomes[question.id] = outcome
            hasServed = true
            if isDone {
                lastVisitors.append(question.visitor)
                farewell = KernelClock.monotonic
            } else {
                lastVisitors = []
            }
        } else {
            outcome = .applied
        }
        let channel = question.visitor.channel
        func reply(_ content: ServiceReply.Content) -> Bool {
            channel.send(json: ServiceReply(id: question.id, content: content))
        }
        let interfaces: [ConditionedInterface]
        switch outcome {
        case .failed(let error): return question.visitor.refuse(error, id: question.id)
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
