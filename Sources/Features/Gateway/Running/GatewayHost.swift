import FoundationEssentials
import LinuxKernel
import Netlink
import SystemPackage

/// Makes this host a router, and what it was before when it ends.
///
/// Theory of operation. Each change belongs to something that undoes it, however the gateway ends:
/// the packet filter's tables to the process `nft`, which the kernel kills with this one; the
/// kernel's parameters to the guardian of that process (`SharedParameters`); dnsmasq and hostapd to
/// guardians of their own; addresses and conditions to the journal, which this process, or a second
/// one that waits for its end, or `clear`, works off.
final class GatewayHost {
    private let request: GatewayRequest
    private let rules: PacketFilterTables
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
        let network = request.network
        files = DNSMasqConfiguration.Files(
            directory: try StateDirectory(environment: request.environment).path
                + "-gateway-\(try NetworkNamespace.currentInode())")
        configuration = DNSMasqConfiguration(
            network: network, files: files, servers: request.nameServers, user: Self.user,
            costs: NetworkCosts(request.configuration))
        let program = try Self.program("dnsmasq", package: "dnsmasq-base")
        let session = try NetlinkSession()
        guardian = try DetachedProgram(arguments: GatewayGuardian.arguments)
        guard guardian.hear(within: Self.startLimit) == GatewayGuardian.readiness else {
            throw GatewayError("the process that would restore the host did not start")
        }
        do {
            try Self.addAddresses(network, interfaces, files, request.environment, session)
            hostapd = try request.wireless.map {
                try Self.startHostapd($0, request)
            }
            rules = try Self.enableForwarding(network, request.environment)
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
        rules.end()
        try GatewayJournal.undo(request.environment)
        guardian.release()
    }

    // MARK: While it runs

    /// What becomes readable when a program has ended that is needed.
    var descriptors: [FileDescriptor] { [dnsmasq.process.descriptor, rules.descriptor] }

    /// Throws if such a program has ended.
    func check(_ ready: [FileDescriptor]) throws(GatewayError) {
        if ready.contains(dnsmasq.process.descriptor) {
            throw GatewayError(
                "dnsmasq has ended, without which devices get no addresses; the host is as before "
                    + "(journalctl -t dnsmasq may say why)")
        }
        if ready.contains(rules.descriptor), rules.hasEnded {
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
    ) throws {
        let inner = interfaces.inner
        let present = Set(
            try session.interfaceAddresses().filter { $0.interface == inner.index }.map(\.address))
        var missing: [(address: IPAddress, length: UInt8)] = []
        for address in network.addresses where !present.contains(address) {
            missing.append(
                (
                    address,
                    address.isIPv6 ? GatewayNetwork.prefixLength6 : network.prefixLength
                ))
        }
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
    }

    /// Loads the rules first, so that nothing is forwarded that they would drop.
    private static func enableForwarding(
        _ network: GatewayNetwork, _ environment: [String: String]
    ) throws -> PacketFilterTables {
        let directory = try StateDirectory(environment: environment)
        SharedParameters.restoreAbandoned(in: directory)
        var parameters = SharedParameters()
        func share(_ name: String) throws(KernelError) -> Bool {
            try parameters.share(name, wanting: "1", directory: directory)
        }
        _ = try share("net/ipv4/conf/\(network.inner)/forwarding")
        let guardsUplink = try share("net/ipv4/conf/\(network.uplink)/forwarding")
        var guardsAll6 = false
        if network.address6 != nil {
            // Tells neighbours that this is a router; they would give it up otherwise.
            _ = try share("net/ipv6/conf/\(network.inner)/forwarding")
            let names = [network.inner, network.uplink].map {
                "net/ipv6/conf/\($0)/force_forwarding"
            }
            if names.allSatisfy({ (try? KernelParameter($0).read()) != nil }) {
                for name in names { _ = try share(name) }
            } else {
                // Before Linux 6.17 it is all interfaces or none. An uplink that routers have
                // configured is to listen to them nevertheless.
                if try KernelParameter("net/ipv6/conf/\(network.uplink)/accept_ra").read() == "1" {
                    _ = try parameters.share(
                        "net/ipv6/conf/\(network.uplink)/accept_ra", wanting: "2",
                        directory: directory)
                }
                guardsAll6 = try share("net/ipv6/conf/all/forwarding")
            }
        }
        guard let rules = try PacketFilterTables.open(before: parameters) else {
            throw GatewayError(
                "nft is not installed; on Debian and Ubuntu: sudo apt install nftables")
        }
        do {
            try rules.run(
                GatewayRules.text(
                    network, guardsUplink: guardsUplink, guardsAll6: guardsAll6))
        } catch {
            throw GatewayError(
                "nftables refuses what a gateway needs: \(error.message)"
                    + (error.isUnsupported ? "; the kernel lacks nf_tables or NAT" : ""))
        }
        try parameters.change()
        return rules
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
