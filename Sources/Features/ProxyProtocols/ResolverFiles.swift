public import LinuxKernel

/// What `/etc/resolv.conf` and `/etc/hosts` say (resolv.conf(5), hosts(5)).
public struct ResolverFiles: Sendable, Hashable {
    /// The name servers, at most three, as in the C library.
    public let servers: [IPAddress]
    /// The domains that names with few dots are looked up in.
    public let searched: [String]
    /// How many dots a name has that is looked up as it is first.
    public let dots: Int
    /// How long to wait for an answer.
    public let timeout: Duration
    /// How often to ask all servers.
    public let attempts: Int
    private let known: [String: [IPAddress]]

    /// Reads the texts of the files.
    public init(configuration: String, hosts: String) {
        var servers: [IPAddress] = []
        var searched: [String] = []
        var (dots, seconds, attempts) = (1, 5, 2)
        for line in configuration.split(whereSeparator: \.isNewline) {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            switch words.first {
            case "nameserver":
                if words.count > 1, let address = IPAddress(words[1]) { servers.append(address) }
            case "search", "domain": searched = Array(words.dropFirst())
            case "options":
                for word in words.dropFirst() {
                    let parts = word.split(separator: ":")
                    guard parts.count == 2, let value = Int(parts[1]) else { continue }
                    switch parts[0] {
                    case "ndots": dots = min(max(value, 0), 15)
                    case "timeout": seconds = min(max(value, 1), 30)
                    case "attempts": attempts = min(max(value, 1), 5)
                    default: break
                    }
                }
            default: break
            }
        }
        self.servers =
            servers.isEmpty ? [IPAddress(ipv4: 0x7f00_0001)] : Array(servers.prefix(3))
        self.searched = searched.filter { $0 != "." }
        (self.dots, self.timeout, self.attempts) = (dots, .seconds(seconds), attempts)
        var known: [String: [IPAddress]] = [:]
        for line in hosts.split(whereSeparator: \.isNewline) {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard let first = words.first, let address = IPAddress(String(first)) else { continue }
            for name in words.dropFirst() {
                known[name.lowercased(), default: []].append(address)
            }
        }
        self.known = known
    }

    /// The addresses that the file of hosts has for a name; empty if it has none.
    public func addresses(of name: String) -> [IPAddress] {
        let bare = name.hasSuffix(".") ? String(name.dropLast()) : name
        return known[bare.lowercased()] ?? []
    }

    /// The names to ask for, in order.
    public func candidates(for name: String) -> [String] {
        guard !name.hasSuffix(".") else { return [name] }
        let more = searched.map { "\(name).\($0)" }
        return name.count(where: { $0 == "." }) >= dots ? [name] + more : more + [name]
    }
}
