import FoundationEssentials
import LinuxKernel
import Netlink
import SystemPackage

/// Makes this host a router, and what it was before when it ends.
///
/// Theory of operation. Each change belongs to something that undoes it, however the gateway ends:
/// the packet filter's tables to the process `nft`, which the kernel kills with this one; the
/// kernel's parameters to the guardian of that process (`Forwarding`); dnsmasq and hostapd to
/// guardians of their own; addresses and conditions to the journal, which this process, or a second
/// one that waits for its end, or `clear`, works off.
final class GatewayHost {
    private let request: GatewayRequest
    /// nil while there is no uplink that it could be for.
    private var forwarding: Forwarding?
    /// The addresses that the inner interface has from here, with the lengths of their prefixes.
    private let addresses: [(address: IPAddress, length: UInt8)]
    /// The index of the uplink; nil while there is none.
    private var uplink: Int32?
    private var wayOut = WayOut()
    private let session: NetlinkSession
    private let hostapd: GuardedProgram?
    private var dnsmasq: DNSMasq
    private let guardian: DetachedProgram
    private let files: DNSMasqConfiguration.Files
    private var configuration: DNSMasqConfiguration
    /// When dnsmasq is to know what the configuration says, by `KernelClock.monotonic`.
    private var renewal: Duration?
    /// The inner interface.
    let interface: Int32

    private static let startLimit = Duration.seconds(20)

    /// Changes the host; if anything fails, all is as before.
    init(_ request: GatewayRequest, _ interfaces: GatewayInterfaces) throws {
        self.request = request
        interface = interfaces.inner.index
        uplink = interfaces.uplink.index
        let network = request.network
        files = DNSMasqConfiguration.Files(
            directory: try StateDirectory(environment: request.environment).path
                + "-gateway-\(try NetworkNamespace.currentInode())")
        configuration = DNSMasqConfiguration(
            network: network, files: files, servers: request.nameServers, user: Self.user,
            costs: NetworkCosts(request.configuration))
        let program = try Self.program("dnsmasq", package: "dnsmasq-base")
        session = try NetlinkSession()
        guardian = try DetachedProgram(arguments: GatewayGuardian.arguments)
        guard guardian.hear(within: Self.startLimit) == GatewayGuardian.readiness else {
            throw GatewayError("the process that would restore the host did not start")
        }
        do {
            addresses = try Self.addAddresses(
                network, interfaces, files, request.environment, session)
            hostapd = try request.wireless.map {
                try Self.startHostapd($0, request)
            }
            forwarding = try Forwarding(network, request.environment)
            dnsmasq = try DNSMasq(program, configuration)
        } catch {
            _ = try? GatewayJournal.undo(request.environment)
            guardian.release()
            throw error
        }
    }

    /// Undoes everything.
    func end() throws {
        dnsmasq.stop()
        hostapd?.stop()
        forwarding?.end()
        try GatewayJournal.undo(request.environment)
        guardian.release()
    }

    // MARK: While it runs

    /// What becomes readable when a program has ended that is needed.
    var descriptors: [FileDescriptor] {
        [dnsmasq.process.descriptor] + [forwarding?.descriptor].compactMap(\.self)
    }

    /// Throws if such a program has ended.
    func check(_ ready: [FileDescriptor]) throws(GatewayError) {
        if ready.contains(dnsmasq.process.descriptor) {
            throw GatewayError(
                "dnsmasq has ended, without which devices get no addresses; the host is as before "
                    + "(journalctl -t dnsmasq may say why)")
        }
        if let forwarding, ready.contains(forwarding.descriptor), forwarding.hasEnded {
            throw GatewayError(
                "nft has ended, and the packet filter's rules with it; the host is as before")
        }
    }

    /// The leases, as dnsmasq has written them.
    func leases() -> [Lease] {
        Lease.all(in: (try? SmallFile.read(files.leases, limit: 1 << 20)) ?? "")
    }

    /// Has dnsmasq know what `device` is to be told of the cost of the network.
    func setCost(of device: Device, isExpensive: Bool, now: Duration) {
        let former = configuration.costs
        configuration.costs.note(device, isExpensive: isExpensive)
        if former != configuration.costs { renewal = now + Self.renewalTime }
    }

    /// Starts dnsmasq anew if its configuration has changed: it reads it only at its start. (It reads
    /// `dhcp-hostsfile` again at a signal; that of Debian 12 crashes then.)
    func renew(now: Duration) throws {
        guard let renewal, renewal <= now else { return }
        self.renewal = nil
        dnsmasq.stop()
        dnsmasq = try DNSMasq(dnsmasq.path, configuration)
    }

    /// Changes come in groups, and devices that are joining are to be disturbed once.
    private static let renewalTime = Duration.seconds(1)

    /// Does again what others have undone meanwhile. Says what that was, and what is for others to do.
    func repair() throws -> [String] {
        let network = request.network
        let links = try session.links()
        guard let inner = links.first(where: { $0.index == interface }) else {
            throw GatewayError("\(network.inner) is gone, and the devices with it")
        }
        let repairs =
            try repairAddresses(of: inner)
            + repairForwarding(to: links.first { $0.name == network.uplink }?.index)
        // Devices forget a router of IPv6 that does not forward, and dnsmasq may have given up
        // announcing a network whose address it missed.
        if !repairs.isEmpty { renewal = KernelClock.monotonic + Self.renewalTime }
        return try repairs + wayOutChanges(links) + (forwarding?.complaints() ?? [])
    }

    private func wayOutChanges(_ links: [Link]) throws -> [String] {
        let network = request.network
        return try network.addresses.compactMap { own in
            guard
                let index = try session.interface(
                    towards: WayOut.destination(isIPv6: own.isIPv6),
                    from: network.neighbour(of: own), arrivingBy: interface),
                let way = links.first(where: { $0.index == index })
            else { return nil }
            return wayOut.note(way.name, isIPv6: own.isIPv6, uplink: network.uplink)
        }
    }

    private func repairAddresses(of inner: Link) throws -> [String] {
        // IPv6 takes the addresses of an interface that is down, and gives it none.
        guard inner.isUp else { return [] }
        let lost = try Self.lacking(addresses, on: interface, session)
        let messages = lost.map { Address.add($0.address, prefixLength: $0.length, to: interface) }
        // One that can be added at no time is tried again, and not told each time.
        guard !messages.isEmpty, try session.execute(messages).isEmpty else { return [] }
        let names = lost.map(\.address.description).joined(separator: " and ")
        return ["\(inner.name) had lost its address \(names), and has it again"]
    }

    private func repairForwarding(to present: Int32?) throws -> [String] {
        let name = request.network.uplink
        guard present != uplink else {
            // An interface that has gone this moment is told the next time.
            guard present != nil, (try? forwarding?.repair()) == true else { return [] }
            return ["somebody had switched forwarding off; it is on again"]
        }
        uplink = present
        let gone = ["\(name) is gone; until it is back no device reaches the outside"]
        guard present != nil else { return gone }
        // A new interface has parameters of its own.
        forwarding?.end()
        forwarding = nil
        do {
            forwarding = try Forwarding(request.network, request.environment)
        } catch {
            // Unless it has gone again meanwhile.
            guard try session.link(named: name)?.index != present else { throw error }
            uplink = nil
            return gone
        }
        return ["\(name) is another interface than before, and leads to the outside now"]
    }

    // MARK: The steps

    static func program(
        _ name: String, package: String
    ) throws(GatewayError) -> String {
        guard let path = HelperProgram.path(of: name) else {
            throw GatewayError(
                "\(name) is not installed; on Debian and Ubuntu: sudo apt install \(package)")
        }
        return path
    }

    private static func addAddresses(
        _ network: GatewayNetwork, _ interfaces: GatewayInterfaces,
        _ files: DNSMasqConfiguration.Files, _ environment: [String: String],
        _ session: NetlinkSession
    ) throws -> [(address: IPAddress, length: UInt8)] {
        let inner = interfaces.inner
        let missing = try lacking(
            network.addresses.map {
                ($0, $0.isIPv6 ? GatewayNetwork.prefixLength6 : network.prefixLength)
            }, on: inner.index, session)
        var journal = GatewayJournal(
            interface: inner.index, name: inner.name, wasDown: !inner.isUp,
            directory: files.directory)
        for (address, length) in missing { journal.addresses["\(address)"] = length }
        try journal.write(environment)
        try SmallFile.makeDirectory(files.directory)
        let messages =
            (inner.isUp ? [] : [Link.bringUp(index: inner.index)])
            + missing.map { Address.add($0.address, prefixLength: $0.length, to: inner.index) }
        if let failure = try session.execute(messages).first {
            throw NetlinkError(
                attempt: "give \(inner.name) its addresses", errno: failure.errno,
                kernelText: failure.kernelText)
        }
        return missing
    }

    /// Those of these addresses that the interface does not have.
    private static func lacking(
        _ addresses: [(address: IPAddress, length: UInt8)], on interface: Int32,
        _ session: NetlinkSession
    ) throws -> [(address: IPAddress, length: UInt8)] {
        let present = Set(
            try session.interfaceAddresses().filter { $0.interface == interface }.map(\.address))
        return addresses.filter { !present.contains($0.address) }
    }

    private static func startHostapd(
        _ wireless: WirelessNetwork, _ request: GatewayRequest
    ) throws -> GuardedProgram {
        let path = try program("hostapd", package: "hostapd")
        // Among the files that only root can read, since it has the passphrase.
        let directory = try StateDirectory(environment: request.environment)
        let name = try GatewayJournal.hostapdFile()
        try directory.write(name, Array(wireless.hostapd(on: request.network.inner).utf8))
        let program = try GuardedProgram(path, [directory.path(of: name)], readyNumber: 3)
        _ = Readiness.wait(for: [], timeout: .seconds(1))
        guard !program.hasEnded else {
            throw GatewayError(
                "hostapd does not run on \(request.network.inner): \(program.message()); an access "
                    + "point takes a Wi-Fi interface whose driver can be one (iw list)")
        }
        return program
    }

    /// The user that dnsmasq becomes: its own where there is one, and root where there are no
    /// others, as in a user namespace of one user.
    private static var user: String {
        let map = (try? SmallFile.read("/proc/self/uid_map")) ?? ""
        guard map.split(whereSeparator: \.isWhitespace).last == "4294967295" else { return "root" }
        let users = (try? SmallFile.read("/etc/passwd", limit: 1 << 20)) ?? ""
        return users.split(separator: "\n").contains { $0.hasPrefix("dnsmasq:") }
            ? "dnsmasq" : "nobody"
    }
}
