import Foundation
import LinkTesting
import Testing

/// Built-in scenarios with something in the middle, until their first change.
@Suite("Built-in scenarios with something in the middle", .requiresNamespaces, .tags(.anyKernel))
struct RunMiddleScenarioTests {
    private static func options(_ scenario: String) -> [String] {
        ["--scenario", scenario, "--uplink", "none", "--drain", "1s"]
    }

    @Test func `in the office without UDP, ports 80 and 443 of TCP are all there is`() async throws
    {
        let server = "python3 -m http.server --bind 198.18.0.3 "
        let output = try await SandboxedRun(
            arguments: Self.options("no-udp") + [
                "--server", "exec \(server) 80 2>/dev/null", "--server-ready", "80",
                "--server", "exec \(server) 8000 2>/dev/null", "--server-ready", "8000",
                "--server",
                "exec dnsmasq --keep-in-foreground --user=root --pid-file= --conf-file=/dev/null --no-resolv "
                    + "--no-hosts --address=/ok.example/192.0.2.9 --listen-address=198.18.0.3 "
                    + "--bind-interfaces",
                "--server-ready", "53",
                "--server",
                "exec python3 \(BusFixture.path(of: "stunserver.py")) 198.18.0.3 198.18.0.1",
                "--server-ready", "3478/udp", "--", "sh", "-c",
                """
                get() { curl -s -m $2 -o /dev/null -w '%{http_code} ' 198.18.0.3:$1; echo $?; }
                get 80 60; get 8000 2
                dig +short +tries=1 @198.18.0.3 ok.example
                stun 198.18.0.3 | grep -o Blocked
                """,
            ]
        ).output()
        #expect(output == "200 0\n000 28\n192.0.2.9\nBlocked\n")
    }

    @Test func `where nothing but a proxy is there, curl gets through it alone`() async throws {
        let program = try TestNetwork.program()
        let output = try await SandboxedRun(
            arguments: Self.options("proxy-only") + [
                "--server", "exec '\(program)' proxy Baseline --http 198.18.0.3:3128 >/dev/null",
                "--server-ready", "3128", "--server",
                "exec python3 -m http.server --bind 198.18.0.3 8000 2>/dev/null",
                "--server-ready", "8000", "--", "sh", "-c",
                """
                get() { curl -s -o /dev/null -w '%{http_code} ' "$@" 198.18.0.3:8000; echo $?; }
                get -m 5; get -m 60 -x 198.18.0.3:3128; get -m 60 --proxytunnel -x 198.18.0.3:3128
                """,
            ]
        ).result()
        #expect(output.standardOutput == "000 28\n200 0\n200 0\n", "\(output)")
    }

    @Test(arguments: [("ipv6-only", "000 7\n200 0\n"), ("train-wifi", "302 0\n000 7\n")])
    func `without IPv4 the translator is the way, and in the train a portal comes first`(
        scenario: String, output: String
    ) async throws {
        let seen = try await SandboxedRun(
            arguments: Self.options(scenario) + [
                "--server", "exec python3 -m http.server --bind 198.18.0.3 80 2>/dev/null",
                "--server-ready", "80", "--", "sh", "-c",
                """
                get() { curl -s -m 20 -o /dev/null -w '%{http_code} ' "$@"; echo $?; }
                get http://198.18.0.3/
                [ \(scenario) = ipv6-only ] && get 'http://[64:ff9b::c612:3]/' || get https://198.18.0.3/
                """,
            ]
        ).output()
        #expect(seen == output)
    }

    @Test func `behind two NATs, a STUN client finds the strict one`() async throws {
        let output = try await SandboxedRun(
            arguments: Self.options("cgn") + [
                "--server",
                "exec python3 \(BusFixture.path(of: "stunserver.py")) 198.18.0.3 198.18.0.1",
                "--server-ready", "3478/udp", "--", "stun", "198.18.0.3",
            ]
        ).result()
        #expect(output.standardOutput.contains("Dependent Mapping"), "\(output)")
    }
}
