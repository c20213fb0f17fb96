public import Sandbox

/// The variables that make programs use an HTTP or SOCKS proxy, and whether they work in a sandbox.
///
/// Inside, 127.0.0.1 is the sandbox's own loopback, not the host's, and only the sandbox knows the
/// names `host.linkcond` and `server.linkcond`.
struct ProxyVariables {
    private let proxies: [(variable: String, value: String)]
    private let exceptions: String

    private static let names = ["http_proxy", "https_proxy", "all_proxy"]
    /// The names that exist only inside.
    private static let innerNames = ["host.linkcond", "server.linkcond"]

    /// Reads them from an environment.
    init(_ environment: [String: String]) {
        proxies = Self.names.flatMap { [$0, $0.uppercased()] }.compactMap { name in
            environment[name].flatMap { $0.isEmpty ? nil : (name, Self.withoutSecrets($0)) }
        }
        exceptions = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
    }

    /// What the user should know before the command starts.
    ///
    /// - Parameter hasUplink: Whether the command reaches the host.
    func notes(hasUplink: Bool) -> [String] {
        guard !exceptions.split(whereSeparator: Self.isSeparator).contains("*") else { return [] }
        return [loopbackNote(hasUplink), exceptionsNote].compactMap(\.self)
    }

    private func loopbackNote(_ hasUplink: Bool) -> String? {
        let local = proxies.filter { Self.isLoopback(Self.host(of: $0.value)) }
        guard let first = local.first else { return nil }
        let names = local.map(\.variable).joined(separator: ", ")
        let remedy =
            hasUplink
            ? "for a proxy of this host, set \(first.variable)=\(Self.ofHost(first.value))"
            : "with --uplink none no proxy of this host can be reached; unset it"
        return "\(names) (\(first.value)): inside the run that is the command's own loopback, "
            + "where no proxy listens unless the command starts one; \(remedy)"
    }

    private var exceptionsNote: String? {
        let remote = proxies.filter { !Self.isLoopback(Self.host(of: $0.value)) }
        guard let first = remote.first, !Self.innerNames.allSatisfy(isExcepted) else { return nil }
        let names = remote.map(\.variable).joined(separator: ", ")
        let list = (exceptions.isEmpty ? [] : [exceptions]) + [".linkcond"]
        return "\(names) (\(first.value)): programs ask this proxy even for host.linkcond and "
            + "server.linkcond, which it does not know; except them with "
            + "no_proxy=\(list.joined(separator: ","))"
    }

    /// Whether `no_proxy` excepts a name: it lists names, which stand for all below them too.
    private func isExcepted(_ name: String) -> Bool {
        exceptions.split(whereSeparator: Self.isSeparator).contains { word in
            let domain = word.drop { $0 == "." || $0 == "*" }
            return name == domain || !domain.isEmpty && name.hasSuffix(".\(domain)")
        }
    }

    private static func isSeparator(_ character: Character) -> Bool {
        character == "," || character.isWhitespace
    }

    /// The same proxy by the host's name inside.
    private static func ofHost(_ proxy: String) -> String {
        let host = host(of: proxy)
        let written = proxy.contains("[\(host)]") ? "[\(host)]" : host
        return proxy.replacing(written, with: "host.linkcond", maxReplacements: 1)
    }

    /// The same proxy without user and password, which do not belong into logs.
    private static func withoutSecrets(_ proxy: String) -> String {
        guard let at = proxy.lastIndex(of: "@") else { return proxy }
        let scheme = proxy.firstRange(of: "://").map { proxy[..<$0.upperBound] } ?? ""
        return "\(scheme)...@\(proxy[proxy.index(after: at)...])"
    }

    /// The host of `http://user:password@host:3128/`, whose scheme, user and port may be missing.
    static func host(of proxy: String) -> String {
        var rest = proxy[...]
        if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
        rest = rest.prefix { $0 != "/" }
        if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        if rest.first == "[" { return String(rest.prefix { $0 != "]" }.dropFirst()) }
        return String(rest.prefix { $0 != ":" })
    }

    private static func isLoopback(_ host: String) -> Bool {
        ["localhost", "localhost.", "::1"].contains(host.lowercased()) || host.hasPrefix("127.")
    }
}

extension SandboxRequest {
    /// What the user should know of the proxies that the command's environment names.
    public func proxyNotes(_ environment: [String: String]) -> [String] {
        ProxyVariables(environment.merging(variables) { $1 }).notes(hasUplink: uplink != .none)
    }
}
