public import LinuxKernel
import Netlink
import SystemPackage

/// A veth pair between the far side and the host, which forwards and masquerades the app's IPv4
/// except for what the relay carries (`RelayScope.besideRoutedIPv4`).
///
/// For root. The packet filter rules belong to an `nft` process and vanish with it. The host
/// forwards for nobody else. Answers to the app require forwarding to be enabled on the interface
/// on which they arrive; where linkcond had to enable it, the rules drop packets that are not for a
/// sandbox, and a guardian process disables it when the last such uplink ends.
public final class VethUplink: Sendable {
    private let rules: PacketFilterTables
    private let wire: WireNumber

    /// Connects the far side in the network namespace at `path` to the host.
    ///
    /// Call this in a process in the host's namespaces that has forked all its children. The
    /// interfaces vanish with the far side's namespace; everything else with this object or with
    /// the process.
    public static func start(
        farNamespace path: String, stateDirectory: StateDirectory? = nil
    ) throws(UplinkError) -> VethUplink {
        do {
            return try VethUplink(farNamespace: path, stateDirectory)
        } catch let error as UplinkError {
            throw error
        } catch let error as NetlinkError {
            throw .netlink(error)
        } catch let error as KernelError {
            throw .kernel(error)
        } catch let error as PacketFilterTables.Refusal {
            throw error.isUnsupported
                ? .noPacketFilter : .programFailed("nft", message: error.message)
        } catch {
            throw .system(attempt: "connect the sandbox to the host", error as? Errno ?? .ioError)
        }
    }

    private init(farNamespace path: String, _ givenDirectory: StateDirectory?) throws {
        let wire = try Self.makeWire(farNamespace: path)
        do {
            try NetworkNamespace.run(inNamespaceAt: path) {
                try Self.setUpFarSide(wire)
                try KernelParameter("net/ipv4/ip_forward").write("1")
                try NFTables.load(HelperUplink.forwardingRules)
            }
            try KernelParameter("net/ipv4/conf/\(wire.interface)/forwarding").write("1")
            var parameters = SharedParameters()
            let stateDirectory = try givenDirectory ?? StateDirectory()
            SharedParameters.restoreAbandoned(in: stateDirectory)
            var guarded: [String] = []
            for name in try Self.routedInterfaces() {
                let parameter = "net/ipv4/conf/\(name)/forwarding"
                if try parameters.share(parameter, wanting: "1", directory: stateDirectory) {
                    guarded.append(name)
                }
            }
            guard let rules = try PacketFilterTables.open(before: parameters) else {
                throw UplinkError.missingProgram("nft", package: "nftables")
            }
            try rules.run(Self.rules(wire, dropping: guarded))
            self.rules = rules
            try parameters.change()
            self.wire = wire
        } catch {
            wire.remove()
            throw error
        }
    }

    /// Removes rules and interfaces and waits until everything is restored.
    public func stop() {
        rules.end()
        wire.remove()
    }

    deinit {
        stop()
    }

    // MARK: The veth pair

    /// Makes the veth pair with the first number not used by another sandbox.
    private static func makeWire(farNamespace path: String) throws -> WireNumber {
        let namespace = OwnedDescriptor(
            adopting: try FileDescriptor.open(
                FilePath(path), .readOnly, options: [.closeOnExec]))
        let session = try NetlinkSession()
        // Sandboxes that start at the same time should not all try the same numbers.
        let first = Int.random(in: 0..<WireNumber.count)
        for offset in 0..<WireNumber.count {
            let wire = WireNumber(number: (first + offset) % WireNumber.count)
            let failures = try session.execute([
                Link.addVeth(
                    Link.WireEnd(name: wire.interface, index: 0),
                    to: Link.WireEnd(name: HelperUplink.interface, index: 0),
                    namespace: namespace.raw.rawValue)
            ])
            guard let failure = failures.first else {
                try setUp(wire.interface, [wire.host], session)
                return wire
            }
            guard failure.errno == .fileExists else {
                throw NetlinkError(
                    attempt: "connect the sandbox to the host", errno: failure.errno,
                    kernelText: failure.kernelText)
            }
        }
        throw UplinkError.system(attempt: "connect one more sandbox", .noSpace)
    }

    private static func setUpFarSide(_ wire: WireNumber) throws {
        let session = try NetlinkSession()
        try setUp(HelperUplink.interface, [wire.far], session)
        let index = try session.link(named: HelperUplink.interface)?.index ?? 0
        try session.execute(
            Route.addDefault(via: wire.host, on: index), attempt: "route to the host")
    }

    private static func setUp(
        _ interface: String, _ addresses: [IPAddress], _ session: NetlinkSession
    ) throws {
        guard let index = try session.link(named: interface)?.index else {
            throw UplinkError.noSuchInterface(interface)
        }
        // The relay carries IPv6: the interface must not generate an address.
        _ = try session.execute([Link.disableAutoconfiguration(index: index)])
        let messages =
            addresses.map {
                Address.add($0, prefixLength: WireNumber.prefixLength, to: index)
            } + [Link.bringUp(index: index)]
        if let failure = try session.execute(messages).first {
            throw NetlinkError(
                attempt: "set up \(interface)", errno: failure.errno,
                kernelText: failure.kernelText)
        }
    }

    /// The interfaces on which answers to the app may arrive.
    private static func routedInterfaces() throws -> [String] {
        let session = try NetlinkSession()
        let routes = try session.routes().filter { !$0.isIPv6 }
        let indices = Set(routes.compactMap(\.interface))
        return try session.links()
            .filter { indices.contains($0.index) && !$0.isLoopback }.map(\.name)
            .filter { !$0.hasPrefix(WireNumber.prefix) }
    }

    // MARK: Rules

    /// The commands for `nft --interactive`.
    ///
    /// - Parameter guarded: Interfaces on which forwarding is enabled only by linkcond.
    static func rules(_ wire: WireNumber, dropping guarded: [String]) -> String {
        let name = wire.interface
        let drops =
            guarded.map { "iifname \"\($0)\" oifname != \"\(WireNumber.prefix)*\" drop" }
            + ["oifname \"\(name)\" ct state new drop"]
        return """
            add table ip \(name) { flags owner; }
            add chain ip \(name) forward { type filter hook forward priority filter - 10; }
            \(drops.map { "add rule ip \(name) forward \($0)" }.joined(separator: "\n"))
            add chain ip \(name) out { type nat hook postrouting priority srcnat; }
            add rule ip \(name) out iifname "\(name)" masquerade

            """
    }
}

/// The number of a veth pair, which makes its interface name and addresses unique.
struct WireNumber: Sendable, Hashable {
    let number: Int

    /// The number of networks of four addresses in 198.19.0.0/16 (RFC 2544).
    static let count = 1 << 14
    static let prefixLength: UInt8 = 30
    static let prefix = "lcwire"
    private static let network: UInt32 = 198 << 24 | 19 << 16

    /// The host's interface.
    var interface: String { "\(Self.prefix)\(number)" }
    /// The host's address.
    var host: IPAddress { IPAddress(ipv4: Self.network + UInt32(number) * 4 + 1) }
    /// The far side's address.
    var far: IPAddress { IPAddress(ipv4: Self.network + UInt32(number) * 4 + 2) }

    /// Removes the veth pair if it still exists.
    func remove() {
        guard let session = try? NetlinkSession(),
            let link = try? session.link(named: interface)
        else { return }
        _ = try? session.execute([Link.delete(index: link.index)])
    }
}
