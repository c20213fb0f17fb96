import Glibc
import LinkModel
import LinuxKernel
public import ProxyControl
import ProxyProtocols
import SystemPackage
import Uplink

/// Runs a proxy: opens its listeners, makes its links, and does what controllers ask for.
///
/// Theory of operation. This process stays in the host's namespaces, as the caller, with one thread.
/// It opens all listening sockets, so that their ports are free as soon as it ends. Each link is a
/// process of its own (`ProxyLink`) that makes a sandbox; the command of the sandbox is an endpoint
/// (`EndpointLoop`), which gets copies of the listening sockets and moves the data. All of them end
/// with this process, however it ends.
public final class ProxyServer {
    let plan: ProxyPlan
    private let listener: any ProxyListener
    let events: TargetedEvents<any EventTarget>
    private let signals: SignalDescriptor
    var listeners: [ServedListener] = []
    var links: [ServedLink] = []
    private(set) var controllers: [Controller] = []
    var lastNumber = 0
    var madeLinks: UInt64 = 0
    let firstSeed: UInt64
    var door: HostDoor?
    private var command: Int32?
    /// The program that serves the API; nil without one.
    var api: ServedAPI?
    private(set) var exitCode: Int32?
    var problem: ProxyError?
    private let start = ContinuousClock.now
    private var nextRefresh = Duration.zero
    private lazy var signalTarget = ChannelTarget { [unowned self] _ in self.takeSignals() }

    private static let refreshInterval = Duration.milliseconds(250)
    /// How long links may take to end.
    private static let patience = Duration.seconds(1)
    private static let startPatience = Duration.seconds(60)

    /// Prepares to run; before any thread starts.
    public init(_ plan: ProxyPlan, _ listener: some ProxyListener) throws {
        self.plan = plan
        self.listener = listener
        signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP, SIGCHLD])
        events = try TargetedEvents()
        firstSeed = plan.seed ?? UInt64(UInt32.random(in: .min ... .max))
        _ = try DescriptorLimit.raise()
        // Links are processes, which must not keep the controllers' connections open.
        for descriptor in plan.controllers { try descriptor.setCloseOnExec() }
    }

    /// Everything there is.
    public var state: ProxyState {
        ProxyState(
            listeners: listeners.map(\.state), links: links.map(\.state), api: api?.openAddress)
    }

    /// Runs until a signal asks to end or the command has ended; returns the exit code.
    public func run() throws -> Int32 {
        _ = try events.watch(signals.descriptor, .level, for: signalTarget)
        defer { endLinks() }
        try openPlanned()
        try awaitLinks()
        for descriptor in plan.controllers { try connect(to: descriptor) }
        try startAPI()
        listener.isReady(state)
        try startCommand()
        while exitCode == nil {
            turn(atMost: untilAPIStarts)
            restartAPI()
            if let problem { throw problem }
        }
        refreshCounters()
        let deadline = now + .milliseconds(300)
        while links.contains(where: \.isAwaitingCounters), now < deadline {
            turn(atMost: deadline - now)
        }
        return exitCode ?? 0
    }

    var now: Duration { ContinuousClock.now - start }

    /// Waits for events, and handles them.
    func turn(atMost most: Duration?) {
        let waits = [most, untilCounters, playScenarios()].compactMap(\.self)
        guard let ready = try? events.wait(timeout: waits.min()) else { return }
        let now = self.now
        for event in ready { events.target(of: event.token)?.handle(event, at: now) }
        sendCounters(at: now)
    }

    /// Does what scenarios have due, and returns when they have again; nil: never.
    private func playScenarios() -> Duration? {
        var times: [Duration] = []
        for link in links {
            guard let scenario = link.scenario else { continue }
            let turn = scenario.turn(at: now)
            for failure in turn.failures { note("link \(link.name): \(failure)") }
            if let next = turn.next { times.append(next) }
            if let (conditions, profile) = turn.change {
                let wanted = ServedLink.Conditions(
                    profile: profile, settings: [], values: conditions)
                link.change(to: wanted, isNamed: false) { [unowned self] error in
                    if let error { self.note(error.description) }
                    self.tell(.link(link.state))
                }
            }
            guard scenario.isOver else { continue }
            link.scenario = nil
            tell(.link(link.state))
        }
        return times.min()
    }

    // MARK: Start and end

    private func openPlanned() throws {
        do throws(ControlError) {
            let base = LinkChange()
            if plan.isShared {
                _ = try makeLink(ProxyPlan.sharedLink, base, seed: nil, isOwned: false)
            }
            let shared = plan.isShared ? ProxyPlan.sharedLink : nil
            for forward in plan.forwards {
                _ = try makeListener(
                    ListenerRequest(
                        service: .forward(to: "\(forward.target)"), address: "\(forward.address)",
                        link: shared, proxyHeader: plan.proxyHeader))
            }
            for address in plan.socks {
                _ = try makeListener(
                    ListenerRequest(service: .socks, address: "\(address)", link: shared))
            }
            for address in plan.http {
                _ = try makeListener(
                    ListenerRequest(service: .http, address: "\(address)", link: shared))
            }
        } catch {
            throw ProxyError(error)
        }
    }

    private func awaitLinks() throws {
        let deadline = now + Self.startPatience
        while links.contains(where: { $0.state.phase == .starting }) {
            guard now < deadline else { throw ProxyError("the links are not there in time") }
            turn(atMost: deadline - now)
            if let problem { throw problem }
            if let exitCode {
                throw ProxyError("interrupted", status: .init(rawValue: exitCode) ?? .sandbox)
            }
        }
    }

    private func startCommand() throws {
        guard !plan.command.isEmpty else { return }
        var program = Program(plan.command)
        program.variables = variables
        program.diesWithParent = true
        do {
            command = try program.start()
        } catch {
            let name = "\(plan.command[0])"
            guard error.errno == .noSuchFileOrDirectory || !program.isInPath else {
                throw ProxyError(
                    "\(name): cannot be executed: \(error.errno)", status: .notExecutable)
            }
            throw ProxyError("\(name): command not found", status: .notFound)
        }
    }

    /// The variables by which the command's programs find the proxy.
    private var variables: [String: String] {
        var variables: [String: String] = [:]
        func set(_ names: [String], _ scheme: String, _ isMeant: (ListenerService) -> Bool) {
            let found = listeners.first { isMeant($0.service) }
            guard let found, case .stream(let endpoints) = found.address else { return }
            for name in names {
                variables[name] = "\(scheme)://\(endpoints[0])"
                variables[name.uppercased()] = "\(scheme)://\(endpoints[0])"
            }
        }
        set(["http_proxy", "https_proxy"], "http") { $0 == .http }
        set(["all_proxy"], "socks5h") { $0 == .socks }
        return variables
    }

    private func takeSignals() {
        while let signal = signals.next() {
            switch signal.number {
            case SIGCHLD: reap()
            default:
                // The command receives the terminal's signals itself.
                if let command {
                    if !signal.reachesGroup { Process.signal(signal.number, to: command) }
                } else {
                    exitCode = exitCode ?? 0
                }
            }
        }
    }

    private func reap() {
        while let (process, end) = Process.reapAny() {
            if process == command {
                command = nil
                exitCode = end.shellCode
            } else if let api, process == api.process {
                apiEnded(api, end)
            } else if let link = links.first(where: { $0.process == process }) {
                link.processEnded(end)
            }
        }
    }

    private func endLinks() {
        for served in listeners { served.close() }
        for link in links { link.close() }
        if let command { Process.terminate(command) }
        let deadline = now + Self.patience
        while links.contains(where: { $0.process != nil }), now < deadline {
            _ = Readiness.wait(for: [signals.descriptor], timeout: deadline - now)
            while signals.next() != nil {}
            reap()
        }
        for link in links { link.kill() }
    }

    // MARK: Controllers

    func connect(to descriptor: FileDescriptor) throws {
        let controller = try Controller(
            descriptor, events: events,
            onCall: { [unowned self] in self.carryOut($1, for: $0) },
            onEnd: { [unowned self] controller in
                self.controllers.removeAll { $0 === controller }
            })
        controllers.append(controller)
    }

    /// Tells an event to all who want to know.
    func tell(_ event: ProxyReply) {
        for controller in controllers where controller.isSubscribed {
            controller.send(ControlAnswer(nil, event))
        }
    }

    private var untilCounters: Duration? {
        let times = controllers.filter { $0.counterInterval != nil }.map(\.nextCounters)
        let refresh = controllers.isEmpty ? nil : nextRefresh
        return (times + [refresh].compactMap(\.self)).min().map { max(.zero, $0 - now) }
    }

    private func sendCounters(at now: Duration) {
        if !controllers.isEmpty, nextRefresh <= now {
            refreshCounters()
            nextRefresh = now + Self.refreshInterval
        }
        for controller in controllers {
            guard let interval = controller.counterInterval, controller.nextCounters <= now else {
                continue
            }
            controller.nextCounters = now + interval
            let counters = ProxyCounters(
                listeners: Dictionary(listeners.map { ($0.name, $0.counters) }) { $1 },
                links: Dictionary(links.map { ($0.name, $0.counters) }) { $1 })
            controller.send(ControlAnswer(nil, .counters(counters)))
        }
    }

    /// When the next counters of a new subscription are due.
    func countFromNow(for controller: Controller) { controller.nextCounters = now }

    private func refreshCounters() {
        for link in links { link.refreshCounters() }
    }
}

extension ProxyServer: ServedLinkOwner {
    func linkHasFailed(_ link: ServedLink) {
        for served in listeners where served.link === link {
            served.close()
            tell(.listener(served.state))
        }
        tell(.link(link.state))
        let reason = link.state.problem ?? "it ended"
        guard controllers.isEmpty, api == nil else {
            return listener.note("link \(link.name): \(reason)")
        }
        problem = ProxyError("link \(link.name): \(reason)")
    }

    func count(_ counters: [Int: ListenerCounters]) {
        for served in listeners {
            if let counted = counters[served.number] { served.counters = counted }
        }
    }

    func note(_ text: String) {
        listener.note(text)
        tell(.note(text))
    }
}
