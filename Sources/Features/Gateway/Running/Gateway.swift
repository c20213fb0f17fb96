import DataPlane
import Glibc
import LinkModel
import LinuxKernel
import Netlink
import SystemPackage

/// Makes this host the router of a network whose devices each have conditions of their own.
///
/// Theory of operation. `GatewayHost` changes the host and undoes that. One loop then waits for
/// everything: signals, the kernel's table of neighbours, requests of devices for the page and of
/// administrators for the service, and the clock, by which schedules and limits go. Whatever has
/// come, it looks which devices there are (`DeviceTable`), decides what each gets (`Decision`), and
/// has the data plane do what is new (`GatewayConditions`): the inner interface carries one set of
/// conditions for each device, which chooses its addresses. What arrives there goes up, and so the
/// conditions face the apps (`ApplyRequest.facesApps`).
public final class Gateway {
    private var request: GatewayRequest
    private var network: GatewayNetwork { request.network }
    private let report: (String) -> Void
    private var table: DeviceTable
    private var conditions: GatewayConditions
    private var page: GatewayPage
    private let session: NetlinkSession
    /// What was said of each device.
    private var said: [HardwareAddress: String] = [:]
    private var complaints: [HardwareAddress: String] = [:]
    private var nextCheck = Duration.zero

    /// How long a lease may stay unnoticed. A device that uses its address is noticed at once.
    private static let interval = Duration.milliseconds(250)
    private static let namingTime = Duration.seconds(1)
    private static let sendingInterval = Duration.milliseconds(20)
    private static let checkInterval = Duration.seconds(5)

    /// Makes a gateway that tells `report` what happens.
    private init(
        _ request: GatewayRequest, _ report: @escaping (String) -> Void
    ) throws {
        self.request = request
        self.report = report
        table = DeviceTable(request.network)
        conditions = try GatewayConditions(request)
        page = GatewayPage(request.network, offers: request.configuration.offers)
        session = try NetlinkSession()
    }

    /// Is the router until a signal ends it, and restores the host then.
    ///
    /// Requires `CAP_NET_ADMIN`. Before any thread is started.
    public static func run(
        _ request: GatewayRequest, report: @escaping (String) -> Void
    ) throws {
        guard Privilege.mayChangeNetwork else {
            throw GatewayError(
                "a gateway changes interfaces, which takes root (CAP_NET_ADMIN); run it with sudo",
                status: .noPermission)
        }
        var request = request
        let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP])
        var service = try GatewayService()
        if try GatewayJournal.undo(request.environment) {
            report("restored what a killed gateway had left")
        }
        let interfaces = try GatewayInterfaces(
            request.network, carrierComesLater: request.wireless != nil)
        request.network.address6 =
            interfaces.hasIPv6 && hasIPv6(interfaces.inner.name)
            ? GatewayNetwork.uniqueLocalAddress(behind: interfaces.inner.address) : nil
        let host = try GatewayHost(request, interfaces)
        let result = Result {
            let gateway = try Gateway(request, report)
            try gateway.loop(host, &service, signals)
        }
        try host.end()
        try result.get()
    }

    private static func hasIPv6(_ interface: String) -> Bool {
        (try? KernelParameter("net/ipv6/conf/\(interface)/disable_ipv6").read()) == "0"
    }

    private func loop(
        _ host: GatewayHost, _ service: inout GatewayService, _ signals: SignalDescriptor
    ) throws {
        let pages =
            request.configuration.hasPage ?? true ? try PageServer(at: network.addresses) : nil
        let changes = try NetlinkEvents([.neighbours])
        announce(hasPage: pages != nil)
        while true {
            let pageDescriptors = pages?.descriptors ?? []
            let ready = Readiness.wait(
                for: [signals.descriptor, changes.descriptor] + host.descriptors
                    + service.descriptors + pageDescriptors,
                timeout: pages?.isSending == true ? Self.sendingInterval : Self.interval)
            if signals.next() != nil { return }
            try host.check(ready)
            if ready.contains(changes.descriptor) { _ = try changes.next(within: .zero) }
            try update(host)
            service.serve(ready) { question in try answer(question, host) }
            pages?.serve(ready) { request, address in answer(request, address, host) }
        }
    }

    private func announce(hasPage: Bool) {
        let addresses = network.addresses.map(\.description).joined(separator: " and ")
        report(
            "\(network.inner): gateway at \(addresses), to the outside by \(network.uplink); Ctrl-C "
                + "ends it")
        if hasPage { report("devices choose their network at http://\(GatewayNetwork.host)/") }
        if network.address6 == nil {
            report("IPv4 only, since \(network.uplink) or \(network.inner) has no IPv6")
        }
    }

    // MARK: Devices

    private func update(_ host: GatewayHost) throws {
        let now = KernelClock.monotonic
        let neighbours = try session.neighbours().compactMap { neighbour in
            neighbour.interface == host.interface
                ? HardwareAddress(bytes: neighbour.linkLayerAddress).map {
                    DeviceTable.Neighbour(
                        hardware: $0, address: neighbour.address, isThere: !neighbour.hasFailed)
                } : nil
        }
        table.update(
            leases: host.leases(), neighbours: neighbours,
            time: KernelClock.realtime.components.seconds, now: now)
        if now >= nextCheck {
            for repair in try host.repair() { report(repair) }
            // Conditions that somebody has cleared, or whose engine was killed, come again.
            _ = try conditions.check()
            nextCheck = now + Self.checkInterval
        }
        decide(host, now)
        try host.renew(now: now)
    }

    private func decision(for device: Device, _ now: Duration) -> Decision {
        Decision(
            for: device, request.configuration.settings(for: device),
            default: request.configuration.standard, now: now, local: .now)
    }

    private func decide(_ host: GatewayHost, _ now: Duration) {
        var targets: [HardwareAddress: GatewayConditions.Target] = [:]
        for device in table.all {
            let decision = decision(for: device, now)
            host.setCost(of: device, isExpensive: decision.isExpensive, now: now)
            if let conditions = decision.choice.conditions, decision.choice.needsLink,
                device.isPresent, !device.addresses.isEmpty
            {
                targets[device.hardware] = GatewayConditions.Target(
                    conditions: conditions, title: decision.choice.title,
                    addresses: device.addresses)
            }
            tell(device, decision, now)
        }
        conditions.bring(targets, now: now)
        for (hardware, problem) in conditions.problems where complaints[hardware] != problem {
            report("\(table.devices[hardware]?.title ?? "\(hardware)"): \(problem)")
        }
        complaints = conditions.problems
    }

    private func tell(_ device: Device, _ decision: Decision, _ now: Duration) {
        // A device uses its address a moment before dnsmasq has written its name.
        guard device.name != nil || now - device.arrival > Self.namingTime else { return }
        let addresses = device.addresses.map(\.description).joined(separator: ", ")
        let text =
            device.isPresent && !device.addresses.isEmpty
            ? "\(device.title) (\(device.hardware)) at \(addresses): \(decision.choice.title)"
            : "\(device.title) (\(device.hardware)): is gone"
        guard said[device.hardware] != text else { return }
        said[device.hardware] = text
        report(text)
    }

    // MARK: Answers

    private func answer(
        _ question: GatewayQuestion, _ host: GatewayHost
    ) throws -> [DeviceReport] {
        let now = KernelClock.monotonic
        switch question {
        case .devices:
            return try reports(of: table.all, now)
        case .set(let name, let choice, let seconds):
            let devices = table.devices(named: DeviceKey(name))
            guard !devices.isEmpty else {
                let known = table.all.map(\.title).joined(separator: ", ")
                throw GatewayError(
                    "\(name): no such device"
                        + (known.isEmpty ? "; none has come yet" : " (have: \(known))"),
                    status: .usage)
            }
            for device in devices {
                table.change(device.hardware) { device in
                    device.wish = choice.map {
                        Device.Wish(
                            choice: $0, until: seconds.map { now + .seconds($0) },
                            isFromPage: false)
                    }
                }
            }
            decide(host, now)
            for device in devices {
                if let problem = conditions.problems[device.hardware] {
                    throw GatewayError("\(device.title): \(problem)")
                }
            }
            return try reports(of: devices.compactMap { table.devices[$0.hardware] }, now)
        }
    }

    private func reports(of devices: [Device], _ now: Duration) throws -> [DeviceReport] {
        let states = try conditions.check()
        let time = KernelClock.realtime.components.seconds
        return devices.map { device in
            let decision = decision(for: device, now)
            var report = DeviceReport(
                name: device.name, hardware: device.hardware,
                addresses: device.addresses.map(\.description), isPresent: device.isPresent,
                profile: decision.choice.title, reason: decision.reason.rawValue,
                until: decision.until.map { time + Int64(($0 - now) / .seconds(1)) },
                isExpensive: decision.isExpensive)
            let state = states[device.hardware]
            if let conditions = decision.choice.conditions?.withExplicitLoss {
                // The device's down is the interface's up.
                report.down = DeviceReport.Way(
                    conditions: conditions.down, counters: state?.directions[.up]?.counters)
                report.up = DeviceReport.Way(
                    conditions: conditions.up, counters: state?.directions[.down]?.counters)
            }
            report.problem = conditions.problems[device.hardware] ?? state?.problem
            return report
        }
    }

    private func answer(
        _ request: PageRequest, _ address: IPAddress, _ host: GatewayHost
    ) -> PageResponse {
        let now = KernelClock.monotonic
        let own = table.device(at: address)
        let others = self.request.configuration.isPageForAll ? table.all : []
        let devices = [own].compactMap(\.self) + others.filter { $0.hardware != own?.hardware }
        let items = devices.map { device in
            let decision = decision(for: device, now)
            let settings = self.request.configuration.settings(for: device)
            return PageView.Item(
                hardware: device.hardware, title: device.title, addresses: device.addresses,
                decision: decision,
                isChangeable: settings.mayChoose
                    && ![.schedule, .command].contains(decision.reason),
                problem: conditions.problems[device.hardware],
                remaining: decision.until.map { $0 - now })
        }
        let (response, wish) = page.answer(
            request, GatewayPage.Visitor(address: address, items: own == nil ? [] : items))
        if let wish {
            table.change(wish.device) {
                $0.wish = Device.Wish(
                    choice: wish.choice, until: wish.duration.map { now + $0 }, isFromPage: true)
            }
            decide(host, now)
        }
        return response
    }
}
