import Foundation
import Testing

/// What is beneath HTTP: IPv6 beside IPv4, and Multipath TCP.
@Suite("NetworkSession over IPv6 and Multipath TCP") struct SessionProtocolTests {
    /// Gives `eth0` IPv6, and `both.test` an address of each family.
    private static let join =
        AppRun.join + """
            ip address add 2001:db8::1/64 dev eth0 nodad
            ip -6 route add default via 2001:db8::2
            (cat /etc/hosts; echo 2001:db8::2 both.test; echo 192.0.2.2 both.test) >hosts
            mount --bind hosts /etc/hosts

            """

    /// Packets of this family go nowhere, and nobody is told.
    private static func silence(_ address: String) -> String {
        "ip neighbour replace \(address) lladdr 02:00:00:00:00:99 nud permanent dev eth0\n"
    }

    @Test(arguments: ["data", "download", "upload"])
    func `an IPv6 address is enough`(_ kind: String) async throws {
        let result = try await AppRun.run(
            Self.join + Self.silence("192.0.2.2")
                + "$probe \(kind) http://[2001:db8::2]:8002/file")
        #expect(result.reports.map(\.outcome) == ["ok"])
        #expect(result.requests.map(\.client) == ["2001:db8::1"])
    }

    @Test(arguments: [
        ("2001:db8::2", "::ffff:192.0.2.1"), ("192.0.2.2", "2001:db8::1"),
    ])
    func `a silent address of one family is not waited for`(
        _ silent: String, _ client: String
    ) async throws {
        let result = try await AppRun.run(
            Self.join + Self.silence(silent)
                + "$probe data http://both.test:8002/file request=60 style=async,delegate")
        #expect(result.reports.map(\.outcome) == ["ok", "ok"])
        #expect(result.requests.map(\.client) == [client, client])
    }

    @Test func `IPv6 is preferred`() async throws {
        let result = try await AppRun.run(Self.join + "$probe data http://both.test:8002/file")
        #expect(result.requests.map(\.client) == ["2001:db8::1"])
    }

    @Test(
        .enabled("the kernel has to have Multipath TCP") {
            FileManager.default.fileExists(atPath: "/proc/sys/net/mptcp/enabled")
        },
        arguments: ["none", "handover", "interactive", "aggregate"])
    func `metrics tell whether a connection is one of Multipath TCP`(
        _ type: String
    ) async throws {
        let result = try await AppRun.run(
            AppRun.join + """
                $probe data http://192.0.2.2:8002/file multipath=\(type) style=delegate
                $probe data http://192.0.2.2:8000/file multipath=\(type) style=delegate
                """)
        #expect(result.reports.map(\.outcome) == ["ok", "ok"])
        // The other server speaks TCP alone.
        #expect(
            result.reports.flatMap(\.requests).map(\.isMultipath) == [type != "none", false])
    }
}
