import LinkTesting
import LinuxKernel
import Testing

@testable import Uplink

/// An app and a far side joined by a wire, a relay, and a namespace that stands for the host.
///
/// The calling thread is in the host's namespace; `app` runs commands in the app's.
struct TestSandbox {
    static let network = FarNetwork(
        interface: "far0",
        ipv4: FarNetwork.Addresses(
            gateway: address("198.18.0.1"), server: address("198.18.0.3"), prefixLength: 24),
        ipv6: FarNetwork.Addresses(
            gateway: address("fd00:6c63::1"), server: address("fd00:6c63::3"), prefixLength: 64))

    /// The command of a peer in Fixtures/peers.py.
    static func peer(_ command: String) -> String {
        "python3 \(BuiltProduct.packageDirectory)/Tests/UplinkTests/Fixtures/peers.py \(command)"
    }

    let relay: Relay
    /// The path of the far side's network namespace.
    var farNamespace: String { farSide.path }
    private let appSide: TestNamespace
    private let farSide: TestNamespace

    /// Runs `body` with a sandbox; all its processes and namespaces are gone afterwards.
    ///
    /// - Parameters:
    ///   - nameServers: those of the host.
    ///   - isDirect: Whether the wire counts as one without conditions.
    static func run(
        scope: RelayScope = .everything, nameServers: [String] = ["127.0.0.1"],
        isDirect: Bool = false, _ body: @Sendable (TestSandbox) throws -> Void
    ) async throws {
        var direct = network
        direct.isDirect = isDirect
        try await withNewNamespace { [network = direct] in
            try shell(
                """
                ip link set lo up
                ip address add 192.0.2.1/32 dev lo
                ip address add 2001:db8::1/128 dev lo nodad
                """)
            let (app, far) = (try TestNamespace(), try TestNamespace())
            let sockets = try NetworkNamespace.visit(far.descriptor) {
                Result {
                    try joinApp(app)
                    return try RelaySockets.open(network, scope: scope, isPaced: !isDirect)
                }
            }.get()
            let relay = try Relay(
                sockets, network: network, scope: scope,
                resolver: HostResolver(servers: nameServers.compactMap { IPAddress($0) }))
            defer { relay.stop() }
            try body(TestSandbox(relay: relay, appSide: app, farSide: far))
        }
    }

    /// Joins the calling thread's namespace, as the far side, to the app's.
    static func joinApp(_ app: TestNamespace) throws {
        try shell(
            """
            ip link set lo up
            ip link add far0 type veth peer name eth0 netns \(app.path)
            ip address add 198.18.0.1/24 dev far0
            ip address add 198.18.0.3/24 dev far0
            ip address add fd00:6c63::1/64 dev far0 nodad
            ip address add fd00:6c63::3/64 dev far0 nodad
            ip link set far0 up
            \(app.entering) sh -e <<'END'
            ip link set lo up
            ip address add 198.18.0.2/24 dev eth0
            ip address add fd00:6c63::2/64 dev eth0 nodad
            ip link set eth0 up
            ip route add default via 198.18.0.1
            ip -6 route add default via fd00:6c63::1
            END
            """)
    }

    /// Runs a shell script in the app's namespace and returns its output.
    @discardableResult
    func app(_ script: String) throws -> String {
        try Self.run(script, in: appSide)
    }

    /// Runs a shell script on the far side.
    @discardableResult
    func far(_ script: String) throws -> String {
        try Self.run(script, in: farSide)
    }

    private static func run(_ script: String, in namespace: TestNamespace) throws -> String {
        try shell(
            """
            timeout -k 1 100 \(namespace.entering) sh <<'END_OF_SCRIPT'
            \(script)
            END_OF_SCRIPT
            """)
    }

    /// Gives the stand-in for the host a neighbour, 203.0.113.1, that is its way to everywhere.
    static func connectOutside() throws -> TestNamespace {
        let outside = try TestNamespace()
        try shell(
            """
            ip link add out0 type veth peer name in0 netns \(outside.path)
            ip address add 203.0.113.2/24 dev out0
            ip link set out0 up
            \(outside.entering) sh -e <<'END'
            ip link set lo up
            ip address add 203.0.113.1/24 dev in0
            ip link set in0 up
            END
            ip route add default via 203.0.113.1
            echo 0 2147483647 >/proc/sys/net/ipv4/ping_group_range
            """)
        return outside
    }

    /// Starts a program beside the test, waits until `port` listens, stops it after `body`.
    static func withServer(
        _ command: String, port: Int, _ body: (String) throws -> Void
    ) throws {
        let process = try startProcess(command)
        // A killed server listens for another moment, in which the next one could be taken for ready.
        defer { _ = try? shell("kill -9 \(process)\n" + wait(until: "!", port)) }
        try shell(wait(until: "", port) + "\necho 'nothing listens on port \(port)'; exit 1")
        try body(process)
    }

    /// Shell commands that exit once a port listens, or with `!` once it does not.
    private static func wait(until condition: String, _ port: Int) -> String {
        """
        for attempt in $(seq 3000); do
            \(condition) ss -Htuln "sport = :\(port)" | grep -q . && exit
            sleep 0.01
        done
        """
    }

    /// Starts a program and returns its process, which ends with its namespace at the latest.
    @discardableResult
    static func startProcess(_ command: String) throws -> String {
        try shell("exec \(command) >/dev/null 2>&1 </dev/null & echo $!").filter(\.isNumber)
    }

    private static func address(_ text: String) -> IPAddress {
        IPAddress(text) ?? IPAddress(ipv4: 0)
    }
}
