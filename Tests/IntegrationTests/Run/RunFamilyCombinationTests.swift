import Foundation
import LinkTesting
import Testing

/// Networks of one family together with what else a run can do.
@Suite("A run's network of one family, and others", .requiresNamespaces, .tags(.anyKernel))
struct RunFamilyCombinationTests {
    private static let servers = [
        "Wi-Fi", "--set", "middle={ family: nat64 }", "--uplink", "none", "--server",
        "exec dnsmasq --keep-in-foreground --user=root --pid-file= --conf-file=/dev/null --no-resolv "
            + "--no-hosts --address=/four.example/198.18.0.3 "
            + "--listen-address=fd6c:696e:6b63::1 --bind-interfaces",
        "--server-ready", "53", "--server",
        "exec python3 -m http.server --bind 198.18.0.3 8000 >/dev/null 2>&1",
        "--server-ready", "8000",
    ]

    /// The run inside asks its host's name servers, of which it reaches that of IPv6 alone.
    @Test(arguments: [
        ("LTE", "200\n", 0), ("LTE --set 'middle={ family: ipv6 }'", "200\n", 0),
        ("LTE --set 'middle={ family: nat64 }'", "000\n", 1),
    ])
    func `a run inside a run has the outer one's NAT64, and says where IPv4 ends`(
        inner: String, output: String, notes: Int
    ) async throws {
        let program = try SandboxedRun.program()
        let result = try await SandboxedRun(
            arguments: Self.servers + [
                "--", "sh", "-c",
                """
                \(program) run \(inner) -- \
                    curl -s -m 60 -o /dev/null -w '%{http_code}\\n' http://four.example:8000/
                """,
            ]
        ).result()
        #expect(result.standardOutput == output, "\(result)")
        let lines = result.standardError.split(separator: "\n")
        #expect(lines.count { $0.contains("this host has IPv6 alone") } == notes, "\(result)")
    }

    @Test func `two sockets of the app meet through the NAT64, and pings come back`() async throws {
        let output = try await SandboxedRun(arguments: [
            "Wi-Fi", "--set", "middle={ family: nat64 }", "--uplink", "none", "--server",
            """
            exec python3 -c 'import socket
            server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            server.bind(("198.18.0.3", 9000))
            while True:
                _, client = server.recvfrom(9)
                server.sendto(str(client[1]).encode(), client)'
            """,
            "--server-ready", "9000/udp", "--", "sh", "-c",
            """
            ping -c 2 -W 20 64:ff9b::c612:5 >/dev/null && echo pong
            python3 -c '
            import socket
            def make():
                one = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
                one.bind(("::", 0))
                one.settimeout(20)
                return one
            def port(one):
                one.sendto(b"x", ("64:ff9b::c612:3", 9000))
                return int(one.recv(99))
            outside = "64:ff9b::c612:5"
            first, second = make(), make()
            ports = port(first), port(second)
            # To let the other in.
            first.sendto(b"x", (outside, 9))
            second.sendto(b"x" * 3000, (outside, ports[0]))
            data, (address, other, *_) = first.recvfrom(9999)
            print(len(data), address, other == ports[1])
            first.sendto(b"back", (outside, other))
            print(second.recv(99))'
            """,
        ]).output()
        #expect(output == "pong\n3000 64:ff9b::c612:5 True\nb'back'\n")
    }

    /// The kernel sends so much data in packets that are longer than those of a link.
    @Test(arguments: [
        ("family: nat64", "64:ff9b::c612:5"),
        ("nat: { kind: restricted, hairpin: true }", "198.18.0.5"),
    ])
    func `a connection of the app to its own address outside carries data both ways`(
        middle: String, outside: String
    ) async throws {
        let output = try await SandboxedRun(arguments: [
            "Baseline", "--set", "middle={ \(middle) }", "--uplink", "none", "--timeout", "60 s",
            "--", "python3", "-c",
            """
            import os, socket, threading
            outside, data = "\(outside)", os.urandom(3000000)
            family = socket.getaddrinfo(outside, 9)[0][0]
            def make(port):
                one = socket.socket(family)
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
                one.bind(("", port))
                one.settimeout(20)
                return one
            def receive(one):
                received = b"".join(iter(lambda: one.recv(65536), b""))
                print(len(received), received == data)
            def send(one):
                one.sendall(data)
                one.shutdown(socket.SHUT_WR)
            listener = make(0)
            port = listener.getsockname()[1]
            # To let itself in.
            way = make(port)
            way.setblocking(False)
            way.connect_ex((outside, 9))
            listener.listen()
            client = make(0)
            client.connect((outside, port))
            served, (address, *_) = listener.accept()
            print(address)
            sender = threading.Thread(target=send, args=(client,))
            sender.start()
            receive(served)
            sender.join()
            sender = threading.Thread(target=send, args=(served,))
            sender.start()
            receive(client)
            sender.join()
            """,
        ]).output()
        #expect(output == "\(outside)\n3000000 True\n3000000 True\n")
    }

    /// Most hosts of tests have IPv4 alone.
    @Test(arguments: [
        ("true", "64:ff9b::c000:201\n64:ff9b::c000:201\n200\n"),
        (
            "ip -6 address add 2001:db8:1::1/64 dev out0 nodad; ip -6 route add default via 2001:db8:1::2",
            "2001:db8::7\n2001:db8::7\n000\n"
        ),
    ])
    func `a name of both families leads where the host does`(
        setup: String, output: String
    ) async throws {
        let result = try await StandInHost.script(
            """
            \(setup)
            echo 'nameserver 127.0.0.1' >$DIRECTORY/resolv.conf
            mount --bind $DIRECTORY/resolv.conf /etc/resolv.conf
            trap 'kill $(jobs -p)' EXIT
            dnsmasq --keep-in-foreground --user=root --pid-file= \
                --conf-file=/dev/null --no-resolv --no-hosts --listen-address=127.0.0.1 \
                --bind-interfaces --host-record=both.example,192.0.2.1,2001:db8::7 &
            setpriv --pdeathsig TERM python3 -m http.server --directory $DIRECTORY \
                --bind 192.0.2.1 8000 >/dev/null 2>&1 &
            until dig +short both.example | grep -q 192; do sleep 0.05; done
            until curl -s -o /dev/null http://192.0.2.1:8000/; do sleep 0.05; done
            (run Wi-Fi --set "middle={ family: nat64 }" -- sh -c '
                dig +short AAAA both.example; dig +tcp +short AAAA both.example
                curl -s -m 20 -o /dev/null -w "%{http_code}\\n" http://both.example:8000/ || true')
            """, by: .ordinaryUser)
        #expect(result.standardOutput == output, "\(result)")
    }

    @Test(arguments: [
        ("ipv4", "198.18.0.1"), ("ipv6", "fd6c:696e:6b63::1"), ("nat64", "fd6c:696e:6b63::1"),
    ])
    func `a published port is reached by the family that there is`(
        family: String, client: String
    ) async throws {
        let result = try await StandInHost.script(
            """
            (run Wi-Fi --uplink none --publish 8080:80 --set "middle={ family: \(family) }" -- \
                python3 -m http.server --bind :: --directory $DIRECTORY 80 >$DIRECTORY/log 2>&1) &
            job=$!
            until curl -s -m 20 -o /dev/null http://127.0.0.1:8080/; do sleep 0.05; done
            curl -s -o /dev/null -w '%{http_code}\\n' 'http://[::1]:8080/'
            kill $job; wait $job || true
            grep -c '^\\(::ffff:\\)\\{0,1\\}\(client) ' $DIRECTORY/log | sed 's/[1-9][0-9]*/seen/'
            """, by: .ordinaryUser)
        #expect(result.standardOutput == "200\nseen\n", "\(result)")
    }
}
