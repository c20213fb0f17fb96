public import LinuxKernel

/// The host's name servers. Each of the app's represents one of them until that fails.
public struct HostResolver: Sendable, Hashable {
    /// The name servers in file order; never empty.
    public private(set) var servers: [IPAddress]
    private var current = 0
    /// The file that names them, and its status when it was read; nil if they were given.
    private var source: Source?

    private struct Source: Hashable {
        let path: String
        var status: FileStatus?
    }

    /// Makes a resolver; without servers, the local host is used, as in the C library.
    public init(servers: [IPAddress]) {
        self.servers = servers.isEmpty ? [IPAddress(ipv4: 0x7f00_0001)] : servers
    }

    /// Parses a `resolv.conf(5)`. Servers with a zone, such as `fe80::1%eth0`, are ignored.
    public init(resolvConf text: String) {
        self.init(servers: Self.servers(in: text))
    }

    /// Reads a file, and reads it again when it has changed: a host may change its network.
    public init(following path: String) {
        let status = FileStatus(behind: path)
        self.init(resolvConf: (try? SmallFile.read(path)) ?? "")
        source = Source(path: path, status: status)
    }

    private static func servers(in text: String) -> [IPAddress] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count >= 2, words[0] == "nameserver" else { return nil }
            return IPAddress(String(words[1]))
        }
    }

    /// Takes over what the file says now. While it names no server, the known ones stay: somebody may
    /// just be writing it.
    mutating func refresh() {
        guard let source, let status = FileStatus(behind: source.path), status != source.status,
            let text = try? SmallFile.read(source.path)
        else { return }
        let servers = Self.servers(in: text)
        guard !servers.isEmpty else { return }
        self.source?.status = status
        guard servers != self.servers else { return }
        self.servers = servers
        current = 0
    }

    /// The servers, starting with the one currently used for the app's server with this index.
    func candidates(from index: Int = 0) -> [Endpoint] {
        let first = (current + index) % servers.count
        return (servers[first...] + servers[..<first]).map(Self.endpoint)
    }

    /// The server after another one.
    func successor(of server: Endpoint) -> Endpoint {
        let index = servers.firstIndex(of: server.address) ?? -1
        return Self.endpoint(servers[(index + 1) % servers.count])
    }

    /// Moves on to the next server if `failed` is in use.
    mutating func report(failureOf failed: Endpoint) {
        if failed == candidates().first { current = (current + 1) % servers.count }
    }

    private static func endpoint(_ server: IPAddress) -> Endpoint { Endpoint(server, port: 53) }
}
