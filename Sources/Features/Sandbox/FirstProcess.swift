import FoundationEssentials
import Glibc
import LinkModel
import LinuxKernel
import Netlink
import PacketLoop
import Recording
import ScenarioPlaying
import Scenarios
import SystemPackage
import Uplink

/// The process with PID 1 in a sandbox: it builds everything, starts servers and command, and ends
/// everything when it ends.
struct FirstProcess {
    let request: SandboxRequest
    let network: SandboxNetwork
    let channel: MessageChannel
    /// The host's sockets of published ports; nil without such ports.
    let published: PublishedSockets?

    func run(_ supply: NetworkSupply) -> Never {
        Process.dieWithParent()
        supply.beginTaking()
        do {
            try runCommand(supply)
        } catch let error as SandboxError {
            channel.send(.failed(error))
        } catch let error as KernelError {
            channel.send(.refused(error))
        } catch {
            channel.send(.failed(SandboxError("\(error)")))
        }
        Process.exitAtOnce(0)
    }

    private func runCommand(_ supply: NetworkSupply) throws {
        // Before any thread starts, so that none receives these signals.
        let signals = try SignalDescriptor(Self.handled)
        let files = try prepareFiles()
        let links = try SandboxLinks(request, network, supply)
        supply.endTaking()
        let namespaces = links.namespaces
        channel.send(.explanation(links.explanation))
        channel.send(.dataPlane(links.dataPlane))
        let loopback =
            request.conditionsLoopback
            ? try LoopbackWire.start(request, namespaces: namespaces) : nil

        let overrides = try namespaces.apps.compactMap(OverrideStarter.init)
        if request.multipath != .off { for starter in overrides { starter.start() } }
        try NetworkNamespace.enter(namespaces.far)
        // Before Multipath TCP, which replaces the sockets of later threads.
        let publication = try Publication(
            published, request, request.wires(of: network), links, channel)
        let servers = [try links.servePortals(network), try links.serveNames(network)]
        let multipath =
            request.multipath == .off
            ? nil : try SandboxMultipath(request.multipath, namespaces, channel)
        defer { withExtendedLifetime(multipath) {} }
        let packetSockets = try UplinkPlan(request.uplink).map(connect)
        for (name, value) in request.variables { Process.setVariable(name, value) }
        let processes = ProcessTree(
            channel: channel, signals: signals, isJob: request.isJob)
        do {
            let code = try run(
                processes, files, links, loopback, multipath, publication, overrides)
            try processes.endAll(within: request.serverStop)
            StandardStreams.silence()
            channel.send(.ended(code))
        } catch {
            try processes.endAll(within: request.serverStop)
            throw error
        }
        // Exiting also closes the packet sockets, which takes the kernel a while; nobody should
        // wait for that. Who reads a pipe of the command would, if it were still open here; and the
        // supervisor would, if its copy of a socket were the last.
        while channel.receiveMessage() != nil {}
        withExtendedLifetime((links, loopback, publication, servers, packetSockets)) {
            Process.exitAtOnce(0)
        }
    }

    /// Runs servers and commands, and returns the exit code once all data has arrived.
    private func run(
        _ processes: ProcessTree, _ files: ReplacedFiles?, _ links: SandboxLinks,
        _ loopback: PacketLoop?, _ multipath: SandboxMultipath?, _ publication: Publication?,
        _ overrides: [OverrideStarter]
    ) throws -> Int32 {
        KernelThread.relax()
        let namespaces = links.namespaces
        for server in request.servers {
            try processes.startServer(server, network: namespaces.far, identity: request.identity)
        }
        let launchers = try launchers(in: namespaces, processes)
        try processes.waitForServers(at: request.serverPorts)
        let beginning = KernelClock.monotonic
        // Started before the commands, whose first packets count as well.
        var watch = ConstrainedWatch(
            links, since: beginning, isWanted: request.recording.wantsConstrainedUse)
        var processorWatch = ProcessorWatch(
            since: beginning, isWanted: request.recording.wantsProcessorUse)
        let services = namespaces.apps.enumerated().compactMap { device, namespace in
            RunService(request, device: device, in: namespace)
        }
        func tell(_ event: String) { channel.send(.explanation(event)) }
        var portals = PortalWatch(links, since: beginning)
        // The commands see from the start that a portal holds them back.
        _ = portals.turn(tell: tell)
        let devices = try launchers.map { launcher, bus in
            try RunningDevice(launcher, hasOthers: launchers.count > 1, bus: bus)
        }
        // Those that it starts later would be in its session, too, without their terminal.
        if request.scenario?.scenario.relaunchesApps != true { Process.leaveSession() }
        let apps = devices.map(\.app)
        let performance = perform(devices, links, since: beginning)
        var sampler = LinkSampler(links, since: beginning, isWanted: request.recording.wantsSamples)
        var rebindings = RebindingWatch(links, since: beginning)
        links.onFailure = { channel.send(.note("\($0)")) }
        let orders = request.orders.map { OrderService($0, links) }
        func rounds() -> Duration? {
            orders?.turn(links)
            publication?.follow(links)
            for starter in overrides { starter.turn() }
            let next =
                [
                    files?.turn(), sampler.turn(), watch?.turn(), processorWatch?.turn(),
                    links.turn(), rebindings.turn(tell: tell), portals.turn(tell: tell),
                ]
                + services.map { $0.turn(links) }
            processes.wakeUps =
                services.flatMap(\.wakeUps) + (orders?.wakeUps ?? [])
                + overrides.compactMap(\.wakeUp) + [files?.wakeUp].compactMap(\.self)
            return next.compactMap(\.self).min()
        }
        try processes.wait(for: apps, playing: performance, rounds: rounds)
        KernelThread.precedeNoMore()
        let duration = KernelClock.monotonic - beginning
        let linkEvents = (rebindings.finish(tell: tell) + portals.finish(tell: tell))
            .sorted { $0.seconds < $1.seconds }
        let constrained = watch?.finish()
        watch = nil
        let processor = processorWatch?.finish(in: namespaces.apps)
        processorWatch = nil
        channel.send(.commandEnded)
        publication?.stopListening()
        try processes.endApp(within: request.serverStop, rounds: rounds)
        try drain(
            links, processes, publication, isInterrupted: apps.contains(where: \.isInterrupted),
            rounds: rounds)
        let whole = KernelClock.monotonic - beginning
        let samples = sampler.finish()
        var report = try links.finish(
            since: beginning, after: duration, carrying: whole, samples: samples.interfaces,
            processor: processor)
        report.statistics?.samples = samples.total
        report.statistics?.constrained = constrained
        report.statistics?.linkEvents = linkEvents
        report.statistics?.timeline = performance?.finish(
            after: duration, samples: samples.interfaces
        ).adding(linkEvents)
        report.statistics?.multipath = try multipath?.count()
        if let processor { report.add(processor: processor, after: duration) }
        if let loopback { report.add(loopback: loopback, after: whole) }
        try send(report)
        return exitCode(of: devices)
    }

    /// The first exit code of an app that is not 0, except where the scenario expects one.
    private func exitCode(of devices: [RunningDevice]) -> Int32 {
        let codes = devices.filter {
            request.scenario?.scenario.expectsExit(on: $0.name) != true
        }.map(\.app.exitCode)
        return codes.first { $0 != 0 } ?? 0
    }

    /// Waits until the command's data has arrived, and reports to the supervisor what has not.
    private func drain(
        _ links: SandboxLinks, _ processes: ProcessTree, _ publication: Publication?,
        isInterrupted: Bool, rounds: () -> Duration?
    ) throws {
        let limit = request.drainLimit(isInterrupted: isInterrupted)
        let beginning = KernelClock.monotonic
        let drain = Drain(
            request: request, network: network, links: links, processes: processes,
            channel: channel)
        let remainder = try drain.run(within: limit, rounds: rounds)
        func left() -> Duration { max(.zero, limit - (KernelClock.monotonic - beginning)) }
        publication?.finish(within: left())
        channel.send(.drained(remainder, milliseconds: Int64(left() / .milliseconds(1))))
    }

    /// Prepares to play the scenario, if there is one.
    private func perform(
        _ devices: [RunningDevice], _ links: SandboxLinks, since beginning: Duration
    ) -> ScenarioPerformance? {
        guard let scenario = request.scenario else { return nil }
        // The apps may need all processors.
        KernelThread.letOnlyCallingThreadPrecede()
        let stage = SandboxStage(links: links, devices: devices, beginning: beginning)
        return ScenarioPerformance(scenario, seed: request.usedSeed, on: stage, channel)
    }

    private func send(_ report: SandboxReport) throws {
        for note in report.notes { channel.send(.note(note)) }
        for failure in report.fileFailures { channel.send(.unwrittenFile(failure)) }
        guard let statistics = report.statistics else { return }
        channel.send(statistics: try statistics.json())
    }

    /// Signals that would end this process, or that it waits for.
    private static let handled = PassedOnSignals.all + [SIGCHLD]

    private func prepareFiles() throws(KernelError) -> ReplacedFiles? {
        try Mount.separate()
        let names = HostNames(
            network: network, hasUplink: request.uplink != .none,
            hasServers: !request.servers.isEmpty, hasPortal: request.hasCaptivePortal,
            networkFamilies: request.networkFamilies, known: request.knownNames)
        var files = names.replacements(reading: HostNames.text)
        if request.bus != nil {
            let user = UserRecord(
                user: request.identity?.user ?? getuid(), group: request.identity?.group ?? getgid()
            )
            files.merge(user.replacements(reading: HostNames.text)) { $1 }
        }
        return try Mount.replaceFilesAndProcesses(files)
    }

    /// What starts the app of each device, and the session of its message bus if it has one.
    private func launchers(
        in namespaces: SandboxNamespaces, _ processes: ProcessTree
    ) throws(SandboxError) -> [(launcher: AppLauncher, bus: Int32?)] {
        try zip(request.allDevices, namespaces.apps).map { device, network throws(SandboxError) in
            let bus = try startBus(in: network)
            if let bus { processes.adopt(bus: bus.process) }
            let launcher = AppLauncher(
                request: request, device: device, network: network,
                busVariables: bus?.variables ?? [:])
            return (launcher, bus?.process)
        }
    }

    private func startBus(
        in network: FileDescriptor
    ) throws(SandboxError) -> SandboxBus.Running? {
        guard let bus = request.bus else { return nil }
        do {
            return try bus.start(in: network, as: request.identity)
        } catch  where !bus.isRequired {
            channel.send(
                .explanation("\(error); programs that ask D-Bus see the host's network"))
            return nil
        }
    }

    /// Opens the uplink's end on the far side, where the calling thread is, and waits until the
    /// supervisor has connected it to the host.
    ///
    /// - Returns: The relay's packet sockets, which must be open until the supervisor has ended.
    private func connect(_ uplink: UplinkPlan) throws -> [FileDescriptor] {
        let sockets = try uplink.openFarSide(
            network.farNetwork(request), isMultipath: request.multipath != .off,
            isPaced: !request.hasDirectWire || request.congestionControl != nil)
        channel.send(.built)
        try sockets.send(over: channel.descriptor)
        let packetSockets = try sockets.copiesOfPacketSockets()
        guard case .start = channel.receiveMessage() else { Process.exitAtOnce(0) }
        return packetSockets
    }
}
