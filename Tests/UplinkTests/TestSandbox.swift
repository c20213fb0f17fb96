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
    var farNamespace: String { "/proc/\(farProcess)/ns/net" }
    private let appProcess: String
    private let farProcess: String

    /// Runs `body` with a sandbox; all its processes and namespaces are gone afterwards.
    ///
    /// - Parameter nameServers: those of the host.
    static func run(
        scope: RelayScope = .everything, nameServers: [String] = ["127.0.0.1"],
        _ body: @Sendable (TestSandbox) throws -> Void
    ) async throws {
        try await withNewNamespace {
            try shell(
                """
                ip link set lo up
                ip address add 192.0.2.1/32 dev lo
                ip address add 2001:db8::1/128 dev lo nodad
                """)
            let (sockets, appProcess, farProcess) =
                try NetworkNamespace.withNewOnCallingThread {
                    TestParameters.set()
                    let farProcess = try startProcess("sleep 600")
                    let appProcess = try startProcess("unshare -n sleep 600")
                    try joinApp(appProcess)
                    let sockets = try RelaySockets.open(network, scope: scope)
                    return (sockets, appProcess, farProcess)
                }
            defer { _ = try? shell("kill -9 \(appProcess) \(farProcess)") }
            let relay = try Relay(
                sockets, network: network, scope: scope,
                resolver: HostResolver(servers: nameServers.compactMap { IPAddress($0) }))
            defer { relay.stop() }
            try body(
                TestSandbox(relay: relay, appProcess: appProcess, farProcess: farProcess))
        }
    }

    /// The shell's words for waiting until a process has a network namespace of its own.
    static func waitForNamespace(_ process: String) -> String {
        """
        while [ "$(readlink /proc/\(process)/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do
            sleep 0.01
        done
        """
    }

    /// Joins the calling thread's namespace, as the far side, to the one that `app`, started there,
    /// is about to have.
    static func joinApp(_ app: String) throws {
        try shell(
            """
            \(waitForNamespace(app))
            \(TestParameters.script)
            ip link set lo up
            ip link add far0 type veth peer name eth0 netns \(app)
            ip address add 198.18.0.1/24 dev far0
            ip address add 198.18.0.3/24 dev far0
            ip address add fd00:6c63::1/64 dev far0 nodad
            ip address add fd00:6c63::3/64 dev far0 nodad
            ip link set far0 up
            nsenter -t \(app) -n sh -e <<'END'
            \(TestParameters.script)
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
        try Self.run(script, in: appProcess)
    }

    /// Runs a shell script on the far side.
    @discardableResult
    func far(_ script: String) throws -> String {
        try Self.run(script, in: farProcess)
    }

    private static func run(_ script: String, in process: String) throws -> String {
        try shell(
            """
            timeout -k 1 100 nsenter -t \(process) -n sh <<'END_OF_SCRIPT'
            \(script)
            END_OF_SCRIPT
            """)
    }

    /// Gives the stand-in for the host a neighbour, 203.0.113.1, that is its way to everywhere.
    /// Returns the neighbour's process, in whose namespaces commands can be run.
    @discardableResult
    static func connectOutside() throws -> String {
        let outside = try startProcess("unshare -n sleep 600")
        try shell(
            """
            \(waitForNamespace(outside))
            ip link add out0 type veth peer name in0 netns \(outside)
            ip address add 203.0.113.2/24 dev out0
            ip link set out0 up
            nsenter -t \(outside) -n sh -e <<'END'
            \(TestParameters.script)
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
        defer { _ = try? shell("kill -9 \(process)") }
        try shell(
            """
            for attempt in $(seq 500); do
                ss -Htuln "sport = :\(port)" | grep -q . && exit
                sleep 0.01
            done
            echo 'nobody listens on port \(port)'; exit 1
            """)
        try body(process)
    }

    /// Starts a program and returns its process.
    static func startProcess(_ command: String) throws -> String {
        try shell("exec \(command) >/dev/null 2>&1 </dev/null & echo $!").filter(\.isNumber)
    }

    private static func address(_ text: String) -> IPAddress {
        IPAddress(text) ?? IPAddress(ipv4: 0)
    }
}
