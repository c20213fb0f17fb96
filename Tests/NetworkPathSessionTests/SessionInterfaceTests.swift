import Foundation
import Testing

/// Which of two interfaces requests take. The kernel prefers `eth0`.
@Suite("NetworkSession with two interfaces") struct SessionInterfaceTests {
    private static func mark(_ interface: String, _ words: String) -> String {
        "ip link set \(interface) alias '[linkcond:1 \(words)]'\n"
    }

    /// Frames of `eth0` go nowhere, and nobody is told.
    private static let silence = """
        ip neighbour replace 192.0.2.2 lladdr 02:00:00:00:00:99 nud permanent dev eth0

        """

    @Test func `what both may carry goes by the preferred one`() async throws {
        let result = try await AppRun.run(
            AppRun.joinBoth + "$probe data $neutral/file style=async,delegate")
        #expect(result.reports.map(\.outcome) == ["ok", "ok"])
        #expect(result.requests.allSatisfy { $0.client == AppRun.addresses.eth0 })
    }

    @Test(arguments: ["data", "download", "upload"])
    func `what may not use the preferred one goes by the other`(_ kind: String) async throws {
        let result = try await AppRun.run(
            AppRun.joinBoth + Self.mark("eth0", "con")
                + "$probe \(kind) $neutral/file style=async,delegate allowed=yes,no")
        #expect(result.reports.map(\.outcome) == Array(repeating: "ok", count: 4))
        #expect(result.reports.allSatisfy { !$0.waited })
        let clients = result.requests.map(\.client)
        #expect(clients.filter { $0 == AppRun.addresses.cell0 }.count == 2)
        #expect(clients.filter { $0 == AppRun.addresses.eth0 }.count == 2)
        for report in result.reports where report.delegated {
            #expect(report.requests.map(\.interface) == [report.allowed ? "eth0" : "cell0"])
            #expect(report.requests.map(\.isConstrained) == [report.allowed])
        }
    }

    @Test func `a host on a prohibited interface's own network is reached by another`() async throws
    {
        let result = try await AppRun.run(
            AppRun.joinBoth + Self.mark("eth0", "con") + "$probe data $url/file allowed=no")
        #expect(result.reports.map(\.outcome) == ["ok"])
        #expect(result.requests.map(\.client) == [AppRun.addresses.cell0])
    }

    @Test func `a connection that was kept is not used where it may not be`() async throws {
        let result = try await AppRun.run(
            AppRun.joinBoth + """
                $probe data $neutral/file first=$neutral/file allowed=no >out &
                await first
                \(Self.mark("eth0", "con"))
                : >release
                wait $!
                cat out
                """)
        #expect(result.reports.map(\.outcome) == ["ok"])
        #expect(
            result.requests.map(\.client) == [AppRun.addresses.eth0, AppRun.addresses.cell0])
    }

    @Test func `a connection that was kept is used where it may be`() async throws {
        let result = try await AppRun.run(
            AppRun.joinBoth + """
                : >release
                $probe data $neutral/file first=$neutral/file style=delegate
                """)
        #expect(result.reports.first?.requests.map(\.isReused) == [true])
        #expect(result.reports.first?.requests.map(\.protocolName) == ["http/1.1"])
        #expect(result.reports.first?.requests.allSatisfy(\.isOrdered) == true)
    }

    @Test func `it fails only where no interface may be used, for the preferred one's reason`()
        async throws
    {
        let result = try await AppRun.run(
            AppRun.joinBoth + Self.mark("eth0", "con") + Self.mark("cell0", "exp")
                + "$probe data $neutral/file allowed=no")
        #expect(result.reports.map(\.outcome) == ["-1009"])
        #expect(result.reports.map(\.reason) == [2])
        #expect(result.requests.isEmpty)
    }

    @Test func `a task that waits begins on whatever interface may be used first`() async throws {
        let result = try await AppRun.run(
            AppRun.joinBoth + Self.mark("eth0", "con") + Self.mark("cell0", "exp") + """
                $probe data $neutral/file allowed=no waits=yes >out &
                await waiting
                ip link set cell0 alias ''
                wait $!
                cat out
                """)
        #expect(result.reports.map(\.outcome) == ["ok"])
        #expect(result.requests.map(\.client) == [AppRun.addresses.cell0])
    }

    @Test(arguments: ["none", "handover", "interactive", "aggregate"])
    func `what is silently dead is not waited for`(_ type: String) async throws {
        let result = try await AppRun.run(
            AppRun.joinBoth + Self.silence
                + "$probe data $neutral/file multipath=\(type) request=60 style=delegate")
        #expect(result.reports.map(\.outcome) == ["ok"])
        #expect(result.requests.map(\.client) == [AppRun.addresses.cell0])
        #expect(result.reports.first?.requests.map(\.interface) == ["cell0"])
    }

    @Test func `an upload is sent once, however many interfaces were tried`() async throws {
        let result = try await AppRun.run(
            AppRun.joinBoth + Self.silence
                + "$probe upload $neutral/file multipath=handover style=async,delegate,handler")
        #expect(result.reports.map(\.outcome) == ["ok", "ok", "ok"])
        #expect(result.requests.map(\.received) == [100_000, 100_000, 100_000])
    }

    @Test func `a redirect to a prohibited network is not followed`() async throws {
        let result = try await AppRun.run(
            AppRun.join + Self.mark("eth0", "con") + """
                mkdir here
                python3 \(Self.server) 127.0.0.1 8000 here/requests here/listening &
                until [ -e here/listening ]; do sleep 0.02; done
                $probe data http://127.0.0.1:8000/away allowed=yes,no
                kill $!
                """)
        let (allowed, prohibited) = (
            result.reports.first(where: \.allowed), result.reports.first { !$0.allowed }
        )
        #expect(allowed?.outcome == "ok")
        #expect(prohibited?.outcome == "-1009")
        #expect(prohibited?.reason == 2)
        #expect(result.requests.count == 1)
    }

    @Test func `endless redirects end`() async throws {
        let result = try await AppRun.run(AppRun.join + "$probe data \"$url/away?to=loop\"")
        // "Too many redirects."
        #expect(result.reports.map(\.outcome) == ["-1007"])
        #expect(result.requests.count == 21)
    }

    @Test func `a redirect to a file is refused`() async throws {
        let result = try await AppRun.run(
            AppRun.join + "$probe data \"$url/away?to=file:///etc/passwd\"")
        // "Unsupported URL."
        #expect(result.reports.map(\.outcome) == ["-1002"])
    }

    private static let server = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures/server.py").path
}
