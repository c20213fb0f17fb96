import Foundation
import LinkTesting
import Testing

/// A network that wants a click first.
@Suite("Captive portal in the middle of a run", .requiresNamespaces, .tags(.anyKernel))
struct RunPortalTests {
    private static let server = [
        "--uplink", "none", "--server", "python3 -m http.server --bind :: 80 2>/dev/null",
        "--server-ready", "80",
    ]

    private static func options(_ middle: String) -> [String] {
        ["Wi-Fi", "--set", "middle={ \(middle) }"] + server
    }

    private static let functions = """
        get() { curl -s -o /dev/null -m 20 -w '%{http_code} ' "$@"; echo $?; }
        wait_until_open() {
            for round in $(seq 300); do
                [ "$(get http://server.linkcond/)" = '200 0' ] && return
                sleep 0.1
            done
            false
        }

        """

    private static func run(
        _ options: [String], _ script: String, by caller: Caller = .root
    ) async throws -> String {
        try await SandboxedRun(
            arguments: options + ["--", "sh", "-c", functions + script], by: caller
        ).output()
    }

    @Test(arguments: Caller.allCases)
    func `curl is redirected until it clicks, with both families`(caller: Caller) async throws {
        let output = try await Self.run(
            Self.options("captive-portal: { until: click }"),
            """
            for family in -4 -6; do
                get $family http://server.linkcond/generate_204
                get $family https://server.linkcond/
                curl $family -sL -m 20 http://server.linkcond/ | grep -c 'Go online'
            done
            get http://never-heard-of.example/
            curl -s -m 20 -d '' http://portal.linkcond/open | grep -o 'You are online'
            for family in -4 -6; do get $family http://server.linkcond/; done
            """, by: caller)
        let closed = "302 0\n000 7\n1\n"
        #expect(output == closed + closed + "302 0\nYou are online\n200 0\n200 0\n")
    }

    @Test(.enabled(if: hasPrograms("chromium"), "chromium is not installed"))
    func `Chromium is led to the page, clicks, and is online`() async throws {
        let output = try await Self.run(
            Self.options("captive-portal: { until: click }"),
            "/usr/bin/python3 \(BusFixture.path(of: "portal_click.py")) http://server.linkcond/")
        #expect(
            output == """
                Welcome
                You are online.
                Directory listing for / True

                """)
    }

    @Test func `connections that were opened in advance end with the click`() async throws {
        let output = try await Self.run(
            Self.options("captive-portal: { until: click }"),
            """
            python3 - <<'END'
            import socket, subprocess

            # Long before the portal gives up silent clients.
            unused = [socket.create_connection(("server.linkcond", 80), timeout=30) for _ in range(3)]
            subprocess.run(["curl", "-s", "-o", "/dev/null", "-d", "", "http://portal.linkcond/open"])
            print([connection.recv(1) for connection in unused])
            END
            """)
        #expect(output == "[b'', b'', b'']\n")
    }

    @Test func `it opens after its time, and is recorded`() async throws {
        try await RecordingFiles.with { files in
            let output = try await Self.run(
                Self.options("captive-portal: { until: 2 s }") + files.options,
                """
                get http://server.linkcond/
                get https://server.linkcond/
                wait_until_open && echo open
                """)
            #expect(output == "302 0\n000 7\nopen\n")
            let captive = try files.lines().count { $0["verdict"] == "captive" }
            let text = try String(contentsOfFile: files.stats, encoding: .utf8)
            try await JSONSchema("statistics").expectValid(text)
            #expect(captive > 0)
            #expect(text.contains("\"captivePackets\" : \(captive),"))
            #expect(text.contains("eth0: the app meets the captive portal"))
            #expect(text.contains("eth0: the captive portal opens after its time"))
        }
    }

    @Test func `a timeline opens it, and closes it again`() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write(
                """
                name: Hotel
                interfaces:
                  eth0: { profile: Wi-Fi, middle: { captive-portal: { until: click } } }
                timeline:
                  - { at: 2 s, middle: none }
                  - { at: 7 s, middle: { captive-portal: { until: click } } }
                repeat: { every: 9 s, times: 30 }
                """, to: "hotel.yaml")
            let output = try await Self.run(
                ["--scenario", file] + Self.server,
                """
                wait_until_closed() {
                    for round in $(seq 300); do
                        [ "$(get http://server.linkcond/)" = '302 0' ] && return
                        sleep 0.1
                    done
                    false
                }
                wait_until_closed && echo closed
                wait_until_open && echo open
                wait_until_closed && echo closed
                """)
            #expect(output == "closed\nopen\nclosed\n")
        }
    }

    @Test func `clients that misbehave do not stop it, nor the end of the run`() async throws {
        let output = try await Self.run(
            Self.options("captive-portal: { until: click }"),
            """
            python3 - <<'END'
            import socket

            def connect():
                return socket.create_connection(("portal.linkcond", 80), timeout=20)

            def answer(request):
                with connect() as connection:
                    try:
                        connection.sendall(request)
                        return connection.recv(4096)[9:12].decode()
                    except OSError:
                        return "cut"

            silent = [connect() for _ in range(20)]
            print(answer(b"GET / HTTP/1.1\\r\\nCookie: " + b"a" * (1 << 20)) in ["431", "cut"])
            print(answer(b"\\x16\\x03\\x01\\x00\\xff\\r\\n\\r\\n"))
            print(answer(b"GET http://a/ FTP/1\\r\\n\\r\\n"))
            print(answer(b"GET / HTTP/1.1\\r\\nHost: a\\r\\nHost: portal.linkcond\\r\\n\\r\\n"))
            END
            get http://portal.linkcond/
            (exec python3 -c 'if True:
                import socket, time
                connection = socket.create_connection(("portal.linkcond", 80))
                time.sleep(1000)' >/dev/null 2>&1) &
            sleep 1; echo done
            """)
        #expect(output == "True\n400\n400\n302\n200 0\ndone\n")
    }

    @Test(.requiresInstalled("dbus-daemon", "nmcli"), arguments: Caller.allCases)
    func `programs that ask D-Bus or the path learn of it`(caller: Caller) async throws {
        let program = try SandboxedRun.program()
        let output = try await Self.run(
            Self.options("captive-portal: { until: click }") + ["--dbus"],
            """
            see() {
                # The first look is due within some time after the change.
                for round in $(seq 100); do
                    [ "$(nmcli -g CONNECTIVITY general)" = "$1" ] && break
                    sleep 0.1
                done
                nmcli -g CONNECTIVITY general
                \(program) path --json | grep -o '"status" : "[a-zA-Z]*"'
            }
            see portal
            curl -s -o /dev/null -m 20 -d '' http://portal.linkcond/open
            see full
            """, by: caller)
        #expect(
            output == """
                portal
                "status" : "requiresConnection"
                full
                "status" : "satisfied"

                """)
    }
}
