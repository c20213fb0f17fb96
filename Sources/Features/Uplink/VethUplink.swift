public import LinuxKernel
import Netlink
import SystemPackage

/// A wire between the far side and the host, which forwards and masquerades the app's IPv4, what
/// the relay carries apart (`RelayScope.besideRoutedIPv4`).
///
/// For root. The rules of the packet filter belong to a process of `nft`, and vanish with it. The
/// host forwards for nobody else: where it had to be told to take packets of an interface for
/// others, which is what answers to the app are, the rules drop those that are not for a sandbox,
/// and a guardian tells it to stop when the last such uplink ends.
public final class VethUplink: Sendable {
    private let rules: PacketFilterTables
    private let wire: WireNumber

    /// Connects the far side in the network namespace at `path` to the host.
    ///
    /// For a process in the host's namespaces that has forked all its children. The interfaces
    /// go with the far side's namespace; everything else with this object, or with the process.
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

    /// Takes rules and interfaces away and waits until everything is put back.
    public func stop() {
        rules.end()
        wire.remove()
    }

    deinit {
        stop()
    }

    // MARK: The wire

    /// Makes the wire with the first number that no other sandbox has.
    private static func makeWire(farNamespace path: String) throws -> WireNumber {
        let namespace = OwnedDescriptor(
            adopting: try FileDescriptor.open(
                FilePath(path), .readOnly, options: [.closeOnExec]))
        let session = try NetlinkSession()
        // Sandboxes that begin at the same time do not all try the same ones.
        let first = Int.random(in: 0..<WireNumber.count)
        for offset in 0..<WireNumber.count {
            let wire = WireNumber((first + offset) % WireNumber.count)
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
        // IPv6 is the relay's: the interface needs no address that it would have to make up.
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

    /// The interfaces that answers to the app may come from.
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
    /// - Parameter guarded: interfaces that take packets for others only for our sake.
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

/// The number of a wire, by which its interface and its addresses differ from those of others.
struct WireNumber: Sendable, Hashable {
    let number: Int

    /// As many networks of four addresses as 198.19.0.0/16 has (RFC 2544).
    static let count = 1 << 14
    static let prefixLength: UInt8 = 30
    static let prefix = "lcwire"
    private static let network: UInt32 = 198 << 24 | 19 << 16

    init(_ number: Int) {
        self.number = number
    }

    /// The host's interface.
    var interface: String { "\(Self.prefix)\(number)" }
    /// The host's address.
    var host: IPAddress { IPAddress(ipv4: Self.network + UInt32(number) * 4 + 1) }
    /// The far side's.
    var far: IPAddress { IPAddress(ipv4: Self.network + UInt32(number) * 4 + 2) }

    /// Takes the wire away, if it is still there.
    func remove() {
        guard let session = try? NetlinkSession(),
            let link = try? session.link(named: interface)
        else { return }
        _ = try? session.execute([Link.delete(index: link.index)])
    }
}
