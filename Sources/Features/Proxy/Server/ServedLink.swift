import Glibc
import LinkModel
import LinuxKernel
import ProxyControl
import Sandbox
import SystemPackage
import Uplink

/// A link as the proxy sees it: its process, what it is like, and who waits for it.
final class ServedLink {
    /// Called once, with an error if it was not done.
    typealias Completion = (ControlError?) -> Void

    /// What it is like.
    struct Conditions: Hashable {
        var profile: String
        var settings: [String]
        var values: LinkConditions
        /// What a controller keeps with them.
        var annotation: String?
    }

    var name: String
    private(set) var conditions: Conditions
    /// The last conditions that were asked for by name, and not by a scenario.
    private(set) var named: Conditions
    /// The scenario that changes them; nil: none.
    var scenario: LinkScenario?
    let seed: UInt64
    /// Whether it goes with its listener.
    let isOwned: Bool
    private(set) var phase = LinkState.Phase.starting
    private(set) var problem: String?
    private(set) var counters = LinkCounters()
    private var backend: DataPlaneKind?
    private(set) var process: Int32?
    /// The channels to the link's process and to the endpoint.
    private let orders: MessageChannel
    private let endpoint: MessageChannel
    private var tokens: [UInt64] = []
    private unowned let owner: any ServedLinkOwner
    private let events: TargetedEvents<any EventTarget>
    private var starting: [Completion] = []
    /// Changes that were ordered and not yet confirmed.
    private var changes: [(conditions: Conditions, isNamed: Bool, completion: Completion)] = []
    /// Who waits until the endpoint has stopped to serve a listener.
    private var ending: [Int: () -> Void] = [:]
    private var isReporting = false
    private var hasClosed = false
    private lazy var targets = [
        ChannelTarget { [unowned self] _ in self.receiveReply() },
        ChannelTarget { [unowned self] _ in self.receiveReport() },
    ]

    /// Starts its process.
    init(
        _ name: String, _ conditions: Conditions, seed: UInt64, isSeedGiven: Bool, isOwned: Bool,
        backend: Backend, mayChange: Bool, owner: any ServedLinkOwner,
        events: TargetedEvents<any EventTarget>
    ) throws(ControlError) {
        (self.name, self.conditions, named) = (name, conditions, conditions)
        (self.seed, self.isOwned) = (seed, isOwned)
        (self.owner, self.events) = (owner, events)
        do {
            let (orders, innerOrders) = try MessageChannel.pair()
            let (endpoint, innerEndpoint) = try MessageChannel.pair()
            (self.orders, self.endpoint) = (orders, endpoint)
            defer {
                innerOrders.close()
                innerEndpoint.close()
            }
            var program = Program(OwnProgram.path, [ProxyLink.linkVerb])
            program.streams = [
                innerEndpoint.descriptor, .standardError, .standardError, innerOrders.descriptor,
            ]
            program.diesWithParent = true
            program.startsSession = true
            process = try program.start()
        } catch {
            let reason = (error as? Program.Failure)?.errno
            throw ControlError(
                .failed,
                "link \(name): cannot start a process: \(reason.map { "\($0)" } ?? "\(error)")"
                    + (reason.map(ProcessLimit.hint) ?? ""))
        }
        orders.send(
            json: LinkSpecification(
                conditions: conditions.values, profile: conditions.profile,
                seed: isSeedGiven ? seed : nil, backend: backend, mayChange: mayChange))
        do throws(Errno) {
            for (channel, target) in zip([orders, endpoint], targets) {
                tokens.append(try events.watch(channel.descriptor, .level, for: target))
            }
        } catch {
            close()
            throw ControlError(.failed, "link \(name): \(error)")
        }
    }

    /// As controllers see it.
    var state: LinkState {
        LinkState(
            name: name, phase: phase, problem: problem, profile: conditions.profile,
            settings: conditions.settings, annotation: named.annotation, backend: backend,
            seed: seed, scenario: scenario?.name,
            counters: counters)
    }

    /// Calls back when it is up, or has failed.
    func whenStarted(_ completion: @escaping Completion) {
        switch phase {
        case .starting: starting.append(completion)
        case .up: completion(nil)
        case .failed: completion(failure)
        }
    }

    /// Gives it other conditions.
    ///
    /// - Parameter isNamed: Whether later changes start from these.
    func change(
        to conditions: Conditions, isNamed: Bool = true, _ completion: @escaping Completion
    ) {
        guard phase != .failed else { return completion(failure) }
        changes.append((conditions, isNamed, completion))
        orders.send(
            json: LinkOrder.change(to: conditions.values, profile: conditions.profile))
    }

    /// Asks for its counters.
    func refreshCounters() {
        guard phase == .up, !isReporting else { return }
        isReporting = true
        orders.send(json: LinkOrder.report)
    }

    /// Whether counters were asked for and have not come.
    var isAwaitingCounters: Bool { isReporting }

    /// Sends an order to the endpoint, with sockets.
    func send(_ order: EndpointOrder, with sockets: [FileDescriptor] = []) {
        guard phase != .failed, let bytes = try? ControlLine.encode(order) else { return }
        try? endpoint.send(bytes, with: sockets)
    }

    /// Has the endpoint serve a listener no more; calls back when it does not.
    func end(_ listener: Int, _ completion: @escaping () -> Void) {
        guard phase != .failed else { return completion() }
        ending[listener] = completion
        send(.end(listener))
    }

    /// Its process has ended.
    func processEnded(_ end: ProcessEnd) {
        process = nil
        // It may have said why.
        while !hasClosed, !Readiness.wait(for: [orders.descriptor], timeout: .zero).isEmpty {
            receiveReply()
        }
        fail("its process ended (\(end.text))")
    }

    /// Ends it; its process follows.
    func close() {
        guard !hasClosed else { return }
        hasClosed = true
        for token in tokens { events.forget(token) }
        // The endpoint ends when nobody can give it orders any more.
        endpoint.close()
        orders.close()
        if phase != .failed { phase = .failed }
    }

    /// Kills its process, and all that it has made.
    func kill() {
        if let process { Process.signal(SIGKILL, to: process) }
    }

    /// Refuses what needs a link that has ended.
    func expectAlive() throws(ControlError) {
        if phase == .failed { throw failure }
    }

    private var failure: ControlError {
        ControlError(.failed, "link \(name): \(problem ?? "it has ended")")
    }

    private func fail(_ reason: String) {
        guard phase != .failed, !hasClosed else { return }
        if problem == nil { problem = reason }
        close()
        let waiting = starting + changes.map(\.completion)
        let ended = ending.values
        (starting, changes, ending) = ([], [], [:])
        for completion in waiting { completion(failure) }
        for completion in ended { completion() }
        owner.linkHasFailed(self)
    }

    // MARK: Messages

    private func receiveReply() {
        guard let reply = orders.receive(LinkReply.self) else {
            return fail("its process ended")
        }
        switch reply {
        case .started(let plane): backend = plane
        case .changed: finishChange(nil)
        case .refused(let reason): finishChange(ControlError(.failed, "link \(name): \(reason)"))
        case .report(let report):
            isReporting = false
            counters = report.counters
            problem = report.problem
        case .note(let text): owner.note("link \(name): \(text)")
        case .failed(let reason):
            problem = reason
            fail(reason)
        }
    }

    private func finishChange(_ error: ControlError?) {
        guard !changes.isEmpty else { return }
        let (conditions, isNamed, completion) = changes.removeFirst()
        if error == nil {
            self.conditions = conditions
            if isNamed { named = conditions }
        }
        completion(error)
    }

    private func receiveReport() {
        guard let report = endpoint.receive(EndpointReport.self) else {
            // The reason follows from the link's process.
            if let token = tokens.last { events.forget(token, endpoint.descriptor) }
            return
        }
        switch report {
        case .ready:
            phase = .up
            let waiting = starting
            starting = []
            for completion in waiting { completion(nil) }
        case .ended(let listener): ending.removeValue(forKey: listener)?()
        case .counters(let counters): owner.count(counters)
        case .note(let text): owner.note("link \(name): \(text)")
        }
    }
}

/// What a link tells the proxy.
protocol ServedLinkOwner: AnyObject {
    /// It works no more.
    func linkHasFailed(_ link: ServedLink)
    /// Listeners have these counters, by number.
    func count(_ counters: [Int: ListenerCounters])
    /// Users should know this.
    func note(_ text: String)
}

/// A descriptor whose events lead to a closure.
final class ChannelTarget: EventTarget {
    private let onEvent: (Duration) -> Void

    init(onEvent: @escaping (Duration) -> Void) { self.onEvent = onEvent }

    func handle(_ event: EventQueue.Event, at now: Duration) { onEvent(now) }
}
