import LinkTesting
import Testing

/// `--map-root`: a command that is root over its own networks.
@Suite("Run: root inside", .requiresNamespaces, .tags(.contrary, .anyKernel))
struct RunMapRootTests {
    @Test(arguments: Caller.allCases)
    func `is root over its networks`(caller: Caller) async throws {
        let output = try await SandboxedRun(
            "WiFi", "--map-root", "--uplink", "none", "--", "sh", "-c",
            """
            id -u
            ip link set eth0 mtu 1400 && ip -o link show eth0 | grep -o 'mtu 1400'
            ip link add one type veth peer name two
            ip -o link show two | grep -o two@one
            python3 -c 'import socket
            socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP); print("raw")'
            """, by: caller
        ).output()
        #expect(output == "0\nmtu 1400\ntwo@one\nraw\n")
    }

    @Test func `has no more rights over the host, and files are the caller's`() async throws {
        try await withTemporaryDirectory { directory in
            try shell("chmod 777 \(directory.path); echo mine >\(directory.path)/root")
            let output = try await SandboxedRun(
                "WiFi", "--map-root", "--uplink", "none", "--", "sh", "-c",
                """
                cd \(directory.path)
                (echo other >root) 2>/dev/null || echo kept
                chown 1 . 2>/dev/null || echo kept
                touch new
                """, by: .ordinaryUser
            ).output()
            #expect(output == "kept\nkept\n")
            let owners = try shell("stat -c %u \(directory.path)/root \(directory.path)/new")
            #expect(owners == "0\n\(Caller.ordinaryUserID)\n")
        }
    }

    @Test func `without it the command stays who it is`() async throws {
        let output = try await SandboxedRun(
            "WiFi", "--uplink", "none", "--", "sh", "-c",
            "id -u; ip link set eth0 mtu 1400 2>/dev/null || echo refused", by: .ordinaryUser
        ).output()
        #expect(output == "\(Caller.ordinaryUserID)\nrefused\n")
    }

    @Test func `the network is conditioned, and programs ping and ask names, as before`()
        async throws
    {
        let output = try await SandboxedRun(
            "LTE", "--map-root", "--server", "exec python3 -m http.server 8000", "--server-ready",
            "8000", "--uplink", "none", "--", "sh", "-c",
            """
            ping -c 1 -W 20 server.linkcond >/dev/null && echo ping
            curl -s -o /dev/null -w '%{time_total}' http://server.linkcond:8000/ |
                awk '{ print ($1 >= 0.22) ? "late" : "early" }'
            """, by: .ordinaryUser
        ).output()
        #expect(output == "ping\nlate\n")
    }

    @Test func `with sudo it is a mistake`() async throws {
        let result = try await SandboxedRun("WiFi", "--map-root", "--", "echo", "started").result(
            environment: ["SUDO_UID": "61234", "SUDO_GID": "61234", "SUDO_USER": "somebody"])
        #expect(result.exitCode == 64)
        #expect(result.standardOutput == "")
        #expect(result.standardError.contains("leave sudo out"))
    }
}
