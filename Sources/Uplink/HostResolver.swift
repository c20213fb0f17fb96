public import LinuxKernel

/// The name servers of the host, of which one is asked until it fails.
public struct HostResolver: Sendable, Hashable {
    /// The name servers in the order of their file; never empty.
    public let servers: [IPAddress]
    private var current = 0

    /// Makes a resolver; without servers the host's own is asked, as the C library does.
    public init(servers: [IPAddress]) {
        self.servers = servers.isEmpty ? [IPAddress(ipv4: 0x7f00_0001)] : servers
    }

    /// Reads the text of a `resolv.conf(5)`. Servers with a zone, such as `fe80::1%eth0`, are
    /// left out.
    public init(resolvConf text: String) {
        self.init(
            servers: text.split(whereSeparator: \.isNewline).compactMap { line in
                let words = line.split(whereSeparator: \.isWhitespace)
                guard words.count >= 2, words[0] == "nameserver" else { return nil }
                return IPAddress(String(words[1]))
            })
    }

    /// Reads `/etc/resolv.conf`.
    public static func system() -> HostResolver {
        HostResolver(resolvConf: (try? SmallFile.read("/etc/resolv.conf")) ?? "")
    }

    /// The servers, first the one that is asked now.
    var candidates: [Endpoint] {
        (servers[current...] + servers[..<current]).map { Endpoint($0, port: 53) }
    }

    /// Turns to the next server if `failed` is the one that is asked now.
    mutating func report(failureOf failed: Endpoint) {
        if failed == candidates.first { current = (current + 1) % servers.count }
    }
}
