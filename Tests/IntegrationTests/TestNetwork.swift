import Foundation
import LinkTesting
import Synchronization
import Testing

/// Two hosts joined by a wire, each a network namespace of the test's own: the app's, whose
/// interface is conditioned, and a server's.
struct TestNetwork: Sendable {
    let app: String
    let server: String
    /// They are there as long as these are.
    private let namespaces: [TestNamespace]

    /// The app's interface, where conditions are applied.
    static let interface = "eth0"
    /// The packet engine's wires have it in their names. A low one may be taken: if the host's kernel
    /// knows of tunnels, a new namespace has `tunl0` and the like.
    static let index = 100
    static let serverIPv4 = "192.0.2.2"
    static let serverIPv6 = "2001:db8::2"
    static let appIPv4 = "192.0.2.1"
    static let appIPv6 = "2001:db8::1"

    /// Runs `body` with a network of its own, which is gone afterwards.
    static func with<Result>(_ body: (TestNetwork) async throws -> Result) async throws -> Result {
        let number = counter.add(1, ordering: .relaxed).newValue
        let suffix = "\(ProcessInfo.processInfo.processIdentifier)-\(number)"
        let network = try TestNetwork(app: "lctest-a\(suffix)", server: "lctest-s\(suffix)")
        defer { withExtendedLifetime(network.namespaces) {} }
        try await network.build()
        return try await body(network)
    }

    private init(app: String, server: String) throws {
        (self.app, self.server) = (app, server)
        namespaces = try [app, server].map { try TestNamespace(named: $0) }
    }

    private static let counter = Atomic<Int>(0)

    private func build() async throws {
        try await batch(
            """
            link add \(Self.interface) index \(Self.index) netns \(app) type veth \
                peer name eth0 netns \(server)
            """)
        try await batch(
            """
            link set lo up
            addr add \(Self.appIPv4)/24 dev eth0
            addr add \(Self.appIPv6)/64 dev eth0 nodad
            link set eth0 addrgenmode none up
            route add default via \(Self.serverIPv4)
            """, in: app)
        try await batch(
            """
            link set lo up
            addr add \(Self.serverIPv4)/24 dev eth0
            addr add \(Self.serverIPv6)/64 dev eth0 nodad
            link set eth0 addrgenmode none up
            """, in: server)
    }

    /// Runs `ip` once for many commands: starting a program is slow in the lab.
    func batch(_ commands: String, in namespace: String? = nil) async throws {
        let place = namespace.map { ["-n", $0] } ?? []
        let result = try await runProcess("ip", place + ["-batch", "-"], input: commands)
        guard result.exitCode == 0 else {
            throw Failure("ip -batch failed: \(result.standardError)")
        }
    }

    /// Runs a program in the app's namespace.
    func run(
        _ program: String, _ arguments: [String], timeout: Duration = .programLimit
    ) async throws -> ProcessResult {
        try await runProcess(
            "ip", ["netns", "exec", app, program] + arguments, timeout: timeout)
    }

    /// Runs linkcond in the app's namespace.
    @discardableResult
    func linkcond(_ arguments: String...) async throws -> ProcessResult {
        try await linkcond(arguments)
    }

    /// Runs linkcond in the app's namespace.
    @discardableResult
    func linkcond(_ arguments: [String]) async throws -> ProcessResult {
        try await run(try Self.program(), arguments)
    }

    /// Runs linkcond and fails unless it says that all is well.
    @discardableResult
    func mustRun(_ arguments: String...) async throws -> String {
        let result = try await linkcond(arguments)
        guard result.exitCode == 0 else {
            throw Failure(
                "linkcond \(arguments.joined(separator: " ")) ended with "
                    + "\(result.exitCode.map(String.init) ?? "a signal"): \(result.standardError)")
        }
        return result.standardOutput
    }

    /// The binary that users run, where `Scripts/test` names one.
    static func program() throws -> String {
        try ProcessInfo.processInfo.environment["LINKCOND_BINARY"]
            ?? BuiltProduct.path(of: "linkcond")
    }

    /// Fails with what differs from an earlier `state()`.
    func expectUnchanged(
        since before: String, _ occasion: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let after = try await state()
        guard after != before else { return }
        let pieces = [before, after].map { $0.split(whereSeparator: { ",\n".contains($0) }) }
        let difference = pieces[1].difference(from: pieces[0])
        Issue.record("\(occasion) changed: \(difference)", sourceLocation: sourceLocation)
    }

    /// Everything that conditioning could change, as `ip` and `tc` show it, without what moves by
    /// itself.
    func state() async throws -> String {
        try await run("sh", ["-c", Self.stateScript]).standardOutput
    }

    /// Prints it, with few programs since starting one is slow in the lab. Times pass, and an
    /// interface comes up at leisure.
    static let stateScript = #"""
        {
            ip -j -d -batch - <<END
        link show
        addr show
        END
            tc -j -force -batch - 2>&1 <<END
        qdisc show
        filter show dev eth0 ingress
        filter show dev eth0 egress
        END
        } | sed -E 's/"(valid|preferred)_life_time":[0-9]+|"tentative":true,?|"(NO-CARRIER|LOWER_UP)",?|"operstate":"[A-Z]+",?//g'
        """#

    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}
