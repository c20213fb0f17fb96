import DataPlanes
import FoundationEssentials
import LinuxKernel
import Netlink

/// What a gateway has changed in a network namespace, beside what vanishes with its processes.
///
/// It is written before the changes. A gateway undoes them when it ends; if it was killed, its
/// guardian does; if that was killed too, `clear` or the next gateway.
struct GatewayJournal: Codable, Hashable {
    /// The index and the name of the inner interface.
    var interface: Int32
    var name: String
    /// The addresses that it got, with the lengths of their prefixes.
    var addresses: [String: UInt8] = [:]
    /// Whether it was down.
    var wasDown = false
    /// The directory of dnsmasq's files.
    var directory: String
    /// The PID namespace of the gateway: from another, as in a container, nobody sees whether it lives.
    var processes = Self.ownProcesses

    /// The PID namespace of this process; nil if that is unknown.
    static var ownProcesses: String? { SmallFile.target(ofLink: "/proc/self/ns/pid") }

    private static func file() throws(KernelError) -> String {
        "gateway-\(try NetworkNamespace.currentInode())"
    }

    /// The file with hostapd's configuration.
    static func hostapdFile() throws(KernelError) -> String { try file() + ".hostapd" }

    /// Writes it.
    func write(_ environment: [String: String]) throws {
        try StateDirectory(environment: environment)
            .write(try Self.file(), Array(try JSONEncoder().encode(self)))
    }

    /// Undoes what the latest gateway of this namespace has changed, which runs no more; false if
    /// there is nothing.
    @discardableResult
    static func undo(_ environment: [String: String]) throws -> Bool {
        removeOrphans(environment)
        let file = try file()
        for directory in StateDirectory.existing(environment: environment) {
            guard let bytes = directory.read(file) else { continue }
            if let journal = try? JSONDecoder().decode(Self.self, from: Data(bytes)) {
                try journal.undo(environment)
            }
            SharedParameters.restoreAbandoned(in: directory)
            directory.remove(try hostapdFile())
            directory.remove(file)
            return true
        }
        return false
    }

    private func undo(_ environment: [String: String]) throws {
        let session = try NetlinkSession()
        if let link = try session.link(named: name), link.index == interface {
            try GatewayConditions.clearAll(on: name, environment)
            var messages = try given(session).map {
                Address.delete($0, prefixLength: $1, from: interface)
            }
            if wasDown { messages.append(Link.takeDown(index: interface)) }
            // Others may have removed them meanwhile.
            if !messages.isEmpty { _ = try session.execute(messages) }
        }
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The addresses that the interface got, and those that it gave itself in a network that dnsmasq
    /// announced, which it does while somebody has switched its forwarding off.
    private func given(_ session: NetlinkSession) throws -> [IPAddress: UInt8] {
        var given: [IPAddress: UInt8] = [:]
        for (text, length) in addresses {
            if let address = IPAddress(text) { given[address] = length }
        }
        let length = GatewayNetwork.prefixLength6
        let networks = given.keys.filter(\.isIPv6).map { $0.masked(to: length) }
        for found in try session.interfaceAddresses()
        where found.interface == interface && found.address.isIPv6
            && networks.contains(found.address.masked(to: length))
        {
            given[found.address] = length
        }
        return given
    }
}

/// The process that undoes what a killed gateway has changed.
public enum GatewayGuardian {
    static let arguments = ["gateway", "guard"]
    static let readiness = "ready"

    /// In that process: waits for the end of the gateway.
    public static func run(environment: [String: String]) throws {
        DetachedProgram.report(readiness)
        guard !DetachedProgram.waitForRelease() else { return }
        try GatewayJournal.undo(environment)
        NamespaceService.removeAbandoned()
    }
}

extension Gateway {
    /// Undoes what a gateway of this network namespace has left that was killed, and its guardian
    /// with it; returns whether there was one. A gateway that runs is left alone.
    public static func restoreAbandoned(environment: [String: String]) throws -> Bool {
        guard !GatewayClient.isRunning else { return false }
        return try GatewayJournal.undo(environment)
    }
}
