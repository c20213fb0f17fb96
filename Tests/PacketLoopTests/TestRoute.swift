import LinkModel
import LinkTesting
import Testing

@testable import PacketLoop

/// Two hosts in namespaces of their own, and between them the calling thread's namespace, where a
/// loop joins the interfaces `app` and `far`.
struct TestRoute {
    private let app: TestNamespace
    private let far: TestNamespace
    let loop: PacketLoop

    static let farIPv4 = "192.0.2.2"
    static let farIPv6 = "2001:db8::2"

    /// Runs `body` with a route under these conditions, which is gone afterwards.
    ///
    /// - Parameter setUp: more commands for `sh`, run in the namespace between the hosts.
    static func with(
        _ conditions: LinkConditions, setUp: String = "",
        _ body: @Sendable (TestRoute) throws -> Void
    ) async throws {
        try await withNewNamespace {
            let (app, far) = (try TestNamespace(), try TestNamespace())
            try shell("sysctl -qw net.ipv6.conf.default.disable_ipv6=1")
            try join(app, "app", number: 1)
            try join(far, "far", number: 2)
            try shell(setUp)
            let loop = try PacketLoop(
                appSide: try interfaceIndex("app"), farSide: try interfaceIndex("far"),
                conditions: conditions,
                seed: 1)
            try loop.start()
            try body(TestRoute(app: app, far: far, loop: loop))
            loop.stop()
        }
    }

    /// Joins a host to the calling thread's namespace.
    private static func join(
        _ host: TestNamespace, _ interface: String, number: Int
    ) throws {
        try shell(
            """
            set -e
            ip link add eth0 netns \(host.path) type veth peer name \(interface)
            ip link set \(interface) up
            \(host.entering) ip -batch - <<'END'
            link set lo up
            addr add 192.0.2.\(number)/24 dev eth0
            addr add 2001:db8::\(number)/64 dev eth0 nodad
            link set eth0 addrgenmode none up
            END
            """)
    }

    /// Runs a script of `sh` on the app's host, and returns what it said.
    @discardableResult
    func onApp(_ script: String) throws -> String { try run(script, on: app) }

    /// Runs a script of `sh` on the far host, and returns what it said.
    @discardableResult
    func onFar(_ script: String) throws -> String { try run(script, on: far) }

    private func run(_ script: String, on host: TestNamespace) throws -> String {
        try shell("timeout -k 5 60 \(host.entering) sh -c '\(script)'")
    }

    /// Round trips in milliseconds, the shortest first.
    func roundTrips(to address: String, size: Int = 56, count: Int = 15) throws -> [Double] {
        let text = try onApp("ping -c \(count) -i 0.02 -s \(size) \(address)")
        let times = text.matches(of: /time=([0-9.]+) ms/).compactMap { Double($0.1) }
        try #require(times.count == count, "\(text)")
        return times.sorted()
    }

    /// Sends bytes over TCP and gets them back; fails if one of them is another then.
    func echo(_ count: Int, over address: String) throws {
        let server = """
            import socket
            family = socket.AF_INET6 if ":" in "\(address)" else socket.AF_INET
            listener = socket.create_server(("\(address)", 5000), family=family)
            print("ready", flush=True)
            connection = listener.accept()[0]
            content = b""
            while part := connection.recv(1 << 20): content += part
            connection.sendall(content)
            """
        let client = """
            import random, socket
            content = random.Random(1).randbytes(\(count))
            connection = socket.create_connection(("\(address)", 5000))
            connection.sendall(content)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while part := connection.recv(1 << 20): answer += part
            print("same" if answer == content else "%d bytes, other ones" % len(answer))
            """
        let result = try converse(far: server, app: client)
        #expect(result == "same\n")
    }

    /// Runs one Python program on each host, the far one first until it says `ready`, and returns
    /// what else they said.
    func converse(far farProgram: String, app appProgram: String) throws -> String {
        try shell(
            """
            set -e
            directory=$(mktemp -d); trap 'rm -r $directory' EXIT; : >$directory/log
            cat >$directory/far.py <<'TEXT'
            \(farProgram)
            TEXT
            cat >$directory/app.py <<'TEXT'
            \(appProgram)
            TEXT
            timeout -k 5 90 \(far.entering) python3 $directory/far.py >$directory/log 2>&1 &
            until grep -q ready $directory/log; do sleep 0.05; done
            timeout -k 5 80 \(app.entering) python3 $directory/app.py
            wait
            grep -v ready $directory/log || true
            """)
    }

    /// What both hosts say of packets with a wrong checksum.
    func checksumErrors() throws -> [Int] {
        try [app, far].flatMap { host in
            try run("nstat -az TcpInCsumErrors UdpInCsumErrors Udp6InCsumErrors", on: host)
                .matches(of: /CsumErrors +([0-9]+)/).compactMap { Int($0.1) }
        }
    }
}
