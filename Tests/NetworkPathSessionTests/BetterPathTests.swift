import Foundation
import Testing

/// Transfers that are under way when a better network appears.
@Suite("NetworkSession and better paths") struct BetterPathTests {
    /// Downloads over `cell0`, alone at first; then `eth0` comes, which is preferred.
    private static func download(_ options: String, _ then: String) -> String {
        AppRun.joinBoth + """
            ip link set eth0 down
            $probe download "$neutral/file?size=20000000&hold=yes" to=whole \(options) \
                style=delegate >out &
            await began
            ip link set eth0 up
            ip route add default via 192.0.2.2 dev eth0
            \(then)
            : >release
            wait $!
            cat out
            $probe download "$neutral/file?size=20000000" to=other
            cmp whole other && echo same

            """
    }

    @Test func `a task is told, and its download goes on where it is`() async throws {
        let result = try await AppRun.run(Self.download("", "await better"))
        #expect(result.reports.map(\.outcome) == ["ok", "ok"])
        #expect(result.lines.filter { $0 == "better" }.count == 1)
        #expect(result.lines.contains("same"))
        #expect(
            result.requests.map(\.client) == [AppRun.addresses.cell0, AppRun.addresses.eth0])
        #expect(result.requests.map(\.range) == [nil, nil])
    }

    @Test func `a better path may go again`() async throws {
        let result = try await AppRun.run(
            Self.download(
                "",
                """
                await better
                ip link set eth0 down
                await worse
                ip link set eth0 up
                ip route add default via 192.0.2.2 dev eth0
                """))
        let news = result.lines.filter { ["better", "worse"].contains($0) }
        #expect(news.prefix(2) == ["better", "worse"])
        #expect(result.reports.first?.outcome == "ok")
    }

    @Test func `a download moves by range request if its session lets it`() async throws {
        let result = try await AppRun.run(Self.download("move=yes", "await moved"))
        #expect(result.reports.map(\.outcome) == ["ok", "ok"])
        #expect(result.lines.contains("same"))
        #expect(result.requests.first?.client == AppRun.addresses.cell0)
        #expect(result.requests.dropFirst().allSatisfy { $0.client == AppRun.addresses.eth0 })
        #expect(result.requests.count == 3)
        let offset = try #require(result.requests.dropFirst().first?.range)
        // What had arrived was not asked for again.
        #expect(offset != "bytes=0-" && offset.hasPrefix("bytes="))
        #expect(result.reports.first?.requests.map(\.interface) == ["cell0", "eth0"])
    }

    @Test func `what cannot be resumed stays`() async throws {
        let script = Self.download("move=yes", "await better")
            .replacing("size=20000000", with: "size=20000000&validator=none")
        let result = try await AppRun.run(script)
        #expect(result.reports.map(\.outcome) == ["ok", "ok"])
        #expect(result.lines.contains("same"))
        #expect(result.requests.map(\.range) == [nil, nil])
    }
}
