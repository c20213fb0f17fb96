import Foundation
import LinkTesting
import LinuxKernel
import Testing

@testable import Uplink

@Suite("Veth uplink", .requiresNamespaces, .serialized, .tags(.contrary))
struct VethUplinkTests {
    private static let forwarding = "cat /proc/sys/net/ipv4/conf/out0/forwarding"

    /// Runs `body` with a sandbox on a host that has an outside.
    private func run(
        _ body: @Sendable (TestSandbox, _ outside: TestNamespace, StateDirectory) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let path = try StateDirectory(firstOf: [directory.path])
            try await TestSandbox.run(scope: .besideRoutedIPv4) { sandbox in
                try body(sandbox, try TestSandbox.connectOutside(), path)
            }
        }
    }

    private func code(_ sandbox: TestSandbox, _ host: String) throws -> String {
        try sandbox.app(
            "curl -s -m 30 -o /dev/null -w '%{http_code}' http://\(host):8000/ || true")
    }

    @Test func `IPv4 is forwarded, IPv6 and the host's loopback are relayed`() async throws {
        try await run { sandbox, outside, directory in
            try TestSandbox.startProcess(
                "\(outside.entering) python3 -m http.server --bind :: 8000")
            try shell(
                """
                until \(outside.entering) ss -Htln | grep -q :8000; do sleep 0.01; done
                """)
            #expect(try shell(Self.forwarding) == "0\n")
            let uplink = try VethUplink.start(
                farNamespace: sandbox.farNamespace, stateDirectory: directory)
            #expect(try shell(Self.forwarding) == "1\n")
            #expect(try shell("cat /proc/sys/net/ipv4/ip_forward") == "0\n")
            let ping = try sandbox.app("ping -c 1 -W 20 -q 203.0.113.1 || true")
            #expect(ping.contains(" 0% packet loss"))
            #expect(try code(sandbox, "203.0.113.1") == "200")
            try TestSandbox.withServer("python3 -m http.server --bind :: 8000", port: 8000) { _ in
                for host in ["198.18.0.1", "[fd00:6c63::1]", "192.0.2.1", "[2001:db8::1]"] {
                    let code = try code(sandbox, host)
                    #expect(code == "200", "\(host)")
                }
            }
            uplink.stop()
            #expect(try shell(Self.forwarding) == "0\n")
            #expect(try shell("nft list tables") == "")
            #expect(!(try shell("ip -br link").contains("lcwire")))
        }
    }

    @Test func `Hosts outside see one port of the app, and may answer from others`() async throws {
        try await run { sandbox, outside, directory in
            let inside = outside.entering
            try shell("\(inside) ip address add 203.0.113.3/24 dev in0")
            try TestSandbox.startProcess(
                "\(inside) \(TestSandbox.peer("reflecting_server 4000 0.0.0.0"))")
            try shell("until \(inside) ss -Hulnp | grep -q :4000; do sleep 0.01; done")
            let uplink = try VethUplink.start(
                farNamespace: sandbox.farNamespace, stateDirectory: directory)
            defer { uplink.stop() }
            let places = "203.0.113.1/4000 203.0.113.3/4000"
            let answer = try sandbox.app(TestSandbox.peer("one_port \(places)"))
            // Both addresses are of one host, which answers from its first.
            #expect(answer == "1 203.0.113.1 203.0.113.1\n")
        }
    }

    @Test func `The host forwards for nobody else`() async throws {
        try await run { sandbox, outside, directory in
            // Another network of the host's, to which the outside must not get.
            let inside = try TestNamespace()
            try shell(
                """
                ip link add in1 type veth peer name eth0 netns \(inside.path)
                ip address add 10.9.9.1/24 dev in1
                ip link set in1 up
                \(inside.entering) ip address add 10.9.9.2/24 dev eth0
                \(inside.entering) ip link set eth0 up
                \(inside.entering) ip route add default via 10.9.9.1
                \(outside.entering) ip route add default via 203.0.113.2
                """)
            func ping(_ address: String, within seconds: Int) throws -> String {
                try shell("\(outside.entering) ping -c 1 -W \(seconds) -q \(address) || true")
            }
            let uplink = try VethUplink.start(
                farNamespace: sandbox.farNamespace, stateDirectory: directory)
            for target in ["10.9.9.2", "$(ip -4 -br address show up0 | cut -d/ -f1)"] {
                let address = try sandbox.far("echo \(target)").split(separator: " ").last ?? ""
                let answer = try ping(address.filter { !$0.isNewline }, within: 1)
                #expect(answer.contains("100% packet loss"), "\(address)")
            }
            // What the administrator forwards stays as it is.
            uplink.stop()
            try shell("echo 1 >/proc/sys/net/ipv4/ip_forward")
            let second = try VethUplink.start(
                farNamespace: sandbox.farNamespace, stateDirectory: directory)
            #expect(try ping("10.9.9.2", within: 20).contains(" 0% packet loss"))
            second.stop()
            #expect(try ping("10.9.9.2", within: 20).contains(" 0% packet loss"))
        }
    }

    @Test func `The last of several puts a parameter back`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try StateDirectory(firstOf: [directory.path])
            try await withNewNamespace {
                try shell("ip link set lo up")
                let name = "net/ipv4/conf/lo/forwarding"
                func start(expecting isChange: Bool) throws -> GuardedProgram {
                    var parameters = SharedParameters()
                    let found = try parameters.share(name, wanting: "1", directory: path)
                    #expect(found == isChange)
                    let program = try GuardedProgram(
                        "/bin/sleep", ["100"], readyNumber: 3, parameters: parameters)
                    try parameters.change()
                    return program
                }
                func value() throws -> String { try KernelParameter(name).read() }
                let first = try start(expecting: true)
                let second = try start(expecting: true)
                #expect(try value() == "1")
                first.stop()
                #expect(try value() == "1")
                let third = try start(expecting: true)
                second.stop()
                #expect(try value() == "1")
                third.stop()
                #expect(try value() == "0")
                try KernelParameter(name).write("1")
                let fourth = try start(expecting: false)
                fourth.stop()
                #expect(try value() == "1")
                #expect(path.names() == [], "nothing is left of those who have ended")
            }
        }
    }

    @Test func `What a killed guardian has not put back the next one does`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try StateDirectory(firstOf: [directory.path])
            try await withNewNamespace {
                // The full stop is part of the name.
                try shell("ip link add eth0.7 type veth peer name eth1")
                let name = "net/ipv4/conf/eth0.7/forwarding"
                var parameters = SharedParameters()
                _ = try parameters.share(name, wanting: "1", directory: path)
                // By which it is told from those of other runs of this test.
                let seconds = "107.\(ProcessInfo.processInfo.processIdentifier)"
                let program = try GuardedProgram(
                    "/bin/sleep", [seconds], readyNumber: 3, parameters: parameters)
                try parameters.change()
                // As long as somebody needs it, nobody takes it away.
                SharedParameters.restoreAbandoned(in: path)
                #expect(try KernelParameter(name).read() == "1")
                #expect(path.names().count == 1)
                try shell(
                    """
                    until program=$(pgrep -f '^/bin/sleep \(seconds)$'); do sleep 0.01; done
                    kill -9 $(ps -o ppid= -p $program)
                    """)
                parameters = SharedParameters()
                program.stop()
                #expect(try KernelParameter(name).read() == "1")
                // What other tests in this process fork has copies of its descriptors, and with
                // them the lock, until it executes a program.
                for _ in 0..<500 where !path.names().isEmpty {
                    SharedParameters.restoreAbandoned(in: path)
                    _ = Readiness.wait(for: [], timeout: .milliseconds(10))
                }
                #expect(try KernelParameter(name).read() == "0")
                #expect(path.names() == [])
            }
        }
    }

    @Test(.enabled(if: hasPrograms("flock", "setpriv"), "flock or setpriv is not installed"))
    func `Nobody else's lock keeps a parameter from being put back`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try StateDirectory(firstOf: [directory.path])
            try await withNewNamespace {
                try shell("ip link set lo up")
                let name = "net/ipv4/conf/lo/forwarding"
                var parameters = SharedParameters()
                _ = try parameters.share(name, wanting: "1", directory: path)
                let program = try GuardedProgram(
                    "/bin/sleep", ["100"], readyNumber: 3, parameters: parameters)
                try parameters.change()
                let locks = try shell(
                    """
                    for file in \(path.path) \(path.path)/*; do
                        setpriv --reuid 65534 --clear-groups flock -n -s $file true 2>&1
                    done
                    true
                    """)
                #expect(locks.split(separator: "\n").count == 2, "\(locks)")
                #expect(locks.contains("Permission denied"))
                program.stop()
                #expect(try KernelParameter(name).read() == "0")
            }
        }
    }

    @Test func `Thirty wires differ in names and addresses`() {
        let wires = (0..<WireNumber.count).map(WireNumber.init)
        #expect(Set(wires.map(\.host)).union(wires.map(\.far)).count == 2 * WireNumber.count)
        #expect(wires.allSatisfy { $0.interface.utf8.count < 16 })
        #expect(wires[0].host.description == "198.19.0.1")
        #expect(wires[WireNumber.count - 1].far.description == "198.19.255.254")
    }

    @Test func `The rules are these`() throws {
        try Golden("veth-rules.txt").expect(
            VethUplink.rules(WireNumber(number: 7), dropping: ["eth0", "wlan0"]))
    }
}
