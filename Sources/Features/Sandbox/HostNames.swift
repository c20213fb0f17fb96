import LinkModel
import LinuxKernel
import Middleboxes
import Uplink

/// Adapts the files with which programs in a sandbox resolve names.
struct HostNames {
    /// The sandbox's addresses.
    var network: SandboxNetwork
    /// Whether the far side is connected to the host.
    var hasUplink: Bool
    /// Whether there are servers on the far side.
    var hasServers: Bool
    /// Whether a captive portal may hold the command back.
    var hasPortal = false
    /// The families that the command's network may be limited to.
    var networkFamilies: Set<NetworkFamily> = []
    /// Names that need no name server, with their addresses.
    var known: [KnownName] = []

    /// The name of the host inside the sandbox.
    static let host = "host.linkcond"
    /// The name of the servers of `--server`.
    static let server = "server.linkcond"
    /// Where nscd (on NixOS nsncd) answers the C library, which asks it before it reads any file.
    static let cacheSocket = "/var/run/nscd/socket"

    /// `hosts` with the sandbox's names prepended.
    func hosts(_ text: String) -> String {
        let lines = network.families.flatMap { family in
            (hasUplink ? ["\(family.host) \(Self.host)"] : [])
                + (hasServers ? ["\(family.server) \(Self.server)"] : [])
        }
        let translated =
            hasServers
            ? synthesized(network.families.map(\.server)).map { "\($0) \(Self.server)" } : []
        let portal = hasPortal ? network.portal.map { "\($0) \(PortalPage.name)" } : []
        let names = known.flatMap { known in
            (known.addresses + synthesized(known.addresses)).map { "\($0) \(known.name)" }
        }
        return Self.text(ofLines: lines + translated + portal + names) + text
    }

    /// The addresses of a NAT64 for those of IPv4, if there may be one. Programs prefer the others: what
    /// listens on IPv4 alone would else be beyond their reach.
    private func synthesized(_ addresses: [IPAddress]) -> [IPAddress] {
        guard networkFamilies.contains(.nat64) else { return [] }
        return addresses.filter { !$0.isIPv6 }.map(NAT64.address(for:))
    }

    /// `resolv.conf` with an address of the far side for each of the host's name servers, to which
    /// it relays queries.
    ///
    /// Without an uplink there are none. The C library then queries the loopback, which refuses at
    /// once. A captive portal answers in the place of one, and so does a NAT64 for the name by which
    /// programs find it. Where the network may lack IPv4, there is one with IPv6, which comes first.
    func resolverConfiguration(_ text: String) -> String {
        let kept = text.split(separator: "\n").map { String($0) }.filter { line in
            !line.drop { $0 == " " || $0 == "\t" }.hasPrefix("nameserver")
        }
        let isPartOfNetwork = hasPortal || networkFamilies.contains(.nat64)
        let count =
            hasUplink ? HostResolver(resolvConf: text).servers.count : isPartOfNetwork ? 1 : 0
        var known = network.nameServers.prefix(count)
        if count > 0, networkFamilies.contains(where: { !$0.hasIPv4 }) {
            known = network.nameServers.prefix(max(2, count))
            known.sort { $0.isIPv6 && !$1.isIPv6 }
        }
        let servers = known.map { "nameserver \($0)" }
        return Self.text(ofLines: servers + kept)
    }

    /// `nsswitch.conf` without host name sources that ask services of the host over a Unix socket,
    /// which would bypass the conditioned link.
    func serviceSwitch(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("hosts:") ? "hosts: files dns" : String(line)
        }
        return String(Self.text(ofLines: lines).dropLast())
    }

    /// The existing files to replace, with their new texts.
    ///
    /// The socket of a cache becomes an ordinary file, to which nobody can connect: what such a service
    /// of the host answers would bypass the conditioned link.
    func replacements(
        reading text: (String) -> String?,
        isThere: (String) -> Bool = { FileStatus(behind: $0) != nil }
    ) -> [String: String] {
        var files: [String: String] = isThere(Self.cacheSocket) ? [Self.cacheSocket: ""] : [:]
        files["/etc/hosts"] = text("/etc/hosts").map(hosts)
        files["/etc/resolv.conf"] = text("/etc/resolv.conf").map(resolverConfiguration)
        files["/etc/nsswitch.conf"] = text("/etc/nsswitch.conf").map(serviceSwitch)
        return files
    }

    /// The text of a file, or nil.
    static func text(of path: String) -> String? {
        try? SmallFile.read(path, limit: 1 << 30)
    }

    /// Without `joined`, for which the Swift runtime searches all protocol conformances of the program.
    private static func text(ofLines lines: [String]) -> String {
        lines.reduce(into: "") { $0 += $1 + "\n" }
    }
}
