import Foundation
import Testing

/// What changes of the network do to tasks.
@Suite("NetworkSession when the network changes") struct SessionPathTests {
    private static let expensive = "ip link set eth0 alias '[linkcond:1 exp]'\n"

    @Test func `a task that waits begins when the network becomes inexpensive`() async throws {
        let result = try await AppRun.run(
            AppRun.join + Self.expensive + """
                $probe data $url/file allowed=no waits=yes >out &
                await waiting
                ip link set eth0 alias ''
                wait $!
                cat out
                """)
        #expect(result.reports.map(\.outcome) == ["ok"])
        #expect(result.reports.first?.waited == true)
    }

    @Test func `a task that waits is told so once, however often the path changes`() async throws {
        let result = try await AppRun.run(
            AppRun.join + Self.expensive + """
                $probe data $url/file allowed=no waits=yes >out &
                await waiting
                for name in exp con 'exp con'; do
                    ip link set eth0 alias "[linkcond:1 $name]"
                    sleep 0.1
                    ip link set eth0 down
                    sleep 0.1
                    ip link set eth0 up
                    ip route add default via 192.0.2.2
                done
                ip link set eth0 alias ''
                wait $!
                cat out
                """)
        #expect(result.reports.map(\.outcome) == ["ok"])
        #expect(result.lines == ["waiting"])
        #expect(result.requests.count == 1)
    }

    @Test func `waiting does not count for the time a request may take`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                ip link set eth0 down
                $probe data $url/file waits=yes request=3 >out &
                await waiting
                sleep 4
                ip link set eth0 up
                ip route add default via 192.0.2.2
                wait $!
                cat out
                """)
        #expect(result.reports.map(\.outcome) == ["ok"])
    }

    @Test func `an answer that never comes takes as long as a request may`() async throws {
        let result = try await AppRun.run(
            AppRun.join
                + "$probe download \"$url/file?size=200000&hold=yes\" waits=yes request=3"
        )
        #expect(result.reports.map(\.outcome) == ["-1001"])
        #expect(result.reports.first?.waited == false)
    }

    @Test func `a transfer whose network becomes expensive is lost, for that reason`() async throws
    {
        let result = try await AppRun.run(
            AppRun.join + """
                $probe download "$url/file?size=200000&hold=yes" allowed=no,yes waits=yes >out &
                await began 2
                \(Self.expensive)
                await outcome
                : >release
                wait $!
                cat out
                """)
        let (allowed, prohibited) = (
            result.reports.first(where: \.allowed), result.reports.first { !$0.allowed }
        )
        #expect(prohibited?.outcome == "-1005")
        #expect(prohibited?.reason == 1)
        #expect(prohibited?.canResume == true)
        #expect(prohibited?.waited == false)
        #expect(allowed?.outcome == "ok")
    }

    @Test func `a transfer goes on when the link comes back`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                $probe download "$url/file?size=300000&hold=yes" >out &
                await began
                ip link set eth0 down
                : >release
                sleep 1
                ip link set eth0 up
                ip route add default via 192.0.2.2
                wait $!
                cat out
                """)
        #expect(result.reports.map(\.outcome) == ["ok"])
        #expect(result.reports.first?.bytes == 300_000)
        #expect(result.requests.count == 1)
    }

    @Test func `a transfer whose interface is replaced is lost`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                ip link add wifi0 type veth peer name elsewhere
                $probe download "$url/file?size=200000&hold=yes" >out &
                await began
                ip -batch - <<TEXT
                link set eth0 down
                addr add 198.51.100.1/24 dev wifi0
                link set wifi0 up
                link set elsewhere up
                route add default via 198.51.100.2
                TEXT
                wait $!
                cat out
                """)
        #expect(result.reports.map(\.outcome) == ["-1005"])
        #expect(result.reports.first?.canResume == true)
    }

    @Test func `a host that refuses is not waited for`() async throws {
        let result = try await AppRun.run(
            AppRun.join + "$probe data http://192.0.2.2:9/ waits=yes resource=20")
        #expect(result.reports.map(\.outcome) == ["-1004"])
        #expect(result.reports.first?.waited == false)
    }

    @Test func `an unknown host is waited for, since a VPN may know it`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                cp /etc/hosts hosts
                mount --bind hosts /etc/hosts
                echo nameserver 127.0.0.1 >resolver
                mount --bind resolver /etc/resolv.conf
                $probe data http://inside.example:8000/file waits=no
                $probe data http://inside.example:8000/file waits=yes >out &
                await waiting
                echo 192.0.2.2 inside.example >>hosts
                ip link set cell0 up
                ip address add 198.51.100.1/24 dev cell0
                wait $!
                cat out
                """)
        #expect(result.reports.map(\.outcome) == ["-1003", "ok"])
        #expect(result.reports.map(\.waited) == [false, true])
    }

    @Test func `this host itself may always be asked`() async throws {
        let result = try await AppRun.run(
            AppRun.join + Self.expensive + """
                python3 -m http.server --bind 127.0.0.1 8001 >server2.txt 2>&1 &
                until python3 -c 'import socket; socket.create_connection(("127.0.0.1", 8001))' \
                    2>/dev/null; do sleep 0.1; done
                $probe data http://127.0.0.1:8001/ allowed=no
                ip link set eth0 down
                $probe data http://127.0.0.1:9/ waits=yes resource=20
                """)
        #expect(result.reports.map(\.outcome) == ["ok", "-1004"])
    }

    @Test func `a mobile network is told from others`() async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                ip link set eth0 alias '[linkcond:1 inexp cell]'
                $probe data $url/file allowed=yes,no
                """)
        #expect(result.reports.first(where: \.allowed)?.outcome == "ok")
        #expect(result.reports.first { !$0.allowed }?.reason == 0)
    }

    @Test func `sessions that are dropped leave nothing behind`() async throws {
        let result = try await AppRun.run(
            AppRun.join + Self.expensive + """
                for count in 2 40; do
                    $probe data $url/file style=async,delegate again=$count
                    $probe download $url/file allowed=no again=$count
                done
                """)
        let counts = result.lines.compactMap { line -> (Substring, Int)? in
            let words = line.split(separator: " ")
            return words.count == 2 ? Int(words[1]).map { (words[0], $0) } : nil
        }
        #expect(counts.count == 8)
        for kind in ["task", "fd"] {
            let values = counts.filter { $0.0 == kind }.map(\.1)
            #expect((values.max() ?? 0) - (values.min() ?? 0) < 20, "\(kind): \(values)")
        }
    }
}
