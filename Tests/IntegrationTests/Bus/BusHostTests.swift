import Foundation
import LinkTesting
import Testing

/// A real NetworkManager, on a bus and with a network of its own, whose metered flag follows the
/// overrides of the host.
@Suite(
    "Bus: a host's NetworkManager", .requiresNamespaces,
    .requiresInstalled("dbus-daemon", "NetworkManager", "nmcli"), .tags(.anyKernel))
struct BusHostTests {
    /// Runs a script beside it, in which `metered` prints the flag and `becomes VALUE` waits for it.
    private static func script(_ text: String) async throws -> String {
        let preamble = """
            set -u
            PATH=\(URL(filePath: try SandboxedRun.program()).deletingLastPathComponent().path):$PATH
            metered() { nmcli -g GENERAL.METERED device show eth0; }
            becomes() {
                for round in $(seq 600); do
                    [ "$(metered)" = "$1" ] && { echo "$1"; return; }
                    sleep 0.1
                done
                echo "$(metered), not $1"
            }
            followers() { grep -lsz '^follow$' /proc/[0-9]*/cmdline | cut -d / -f 3; }
            ends() {
                for round in $(seq 300); do
                    [ -z "$(followers)" ] && return
                    sleep 0.1
                done
                echo "$(followers) still run"
            }
            """
        let result = try await runProcess(
            "sh",
            [BusFixture.path(of: "networkmanager.sh"), "bash", "-c", preamble + "\n" + text],
            timeout: .seconds(180))
        #expect(result.exitCode == 0, "\(result.standardError)")
        return result.standardOutput + result.standardError
    }

    @Test func `set makes the connection metered, and clear restores it`() async throws {
        let output = try await Self.script(
            """
            metered
            linkcond override set -i eth0 --expensive --quiet; metered
            nmcli -g connection.metered connection show wire; nmcli -g STATE general
            linkcond override set -i eth0 --cost inexpensive --quiet; metered
            linkcond override set -i eth0 --constrained --quiet; metered
            linkcond override clear --quiet; metered
            ends
            """)
        #expect(
            output == """
                no (guessed)
                yes
                unknown
                connected
                no
                yes
                no (guessed)

                """)
    }

    @Test func `what the connection had before comes back`() async throws {
        let output = try await Self.script(
            """
            nmcli device modify eth0 connection.metered no >/dev/null; metered
            linkcond override set -i eth0 --expensive --quiet; metered
            linkcond override clear -i eth0 --quiet; metered
            """)
        #expect(output == "no\nyes\nno\n")
    }

    @Test func `NetworkManager restores the flag when linkcond is killed`() async throws {
        let output = try await Self.script(
            """
            linkcond override set -i eth0 --expensive --quiet; metered
            kill -9 $(followers)
            becomes 'no (guessed)'
            linkcond override clear --quiet; metered
            linkcond override set -i eth0 --expensive --quiet; metered
            """)
        #expect(output == "yes\nno (guessed)\nno (guessed)\nyes\n")
    }

    @Test func `the flag stays as long as the override, past NetworkManager's patience`()
        async throws
    {
        // The other end of the link sees whether the address ever goes.
        let output = try await Self.script(
            """
            linkcond override set -i eth0 --expensive --quiet
            ip -4 monitor address dev eth0 >/run/NetworkManager/events 2>/dev/null & watching=$!
            sleep 14
            kill $watching; cat /run/NetworkManager/events
            metered
            """)
        #expect(output == "yes\n")
    }

    @Test func `an override that ends by itself, or with its interface, restores it`()
        async throws
    {
        let output = try await Self.script(
            """
            linkcond override set -i eth0 --expensive --for 8s --quiet; metered
            becomes 'no (guessed)'; ends
            linkcond override set -i eth0 --expensive --quiet; metered
            ip link set eth0 alias ''; becomes 'no (guessed)'; ends
            """)
        #expect(output == "yes\nno (guessed)\nyes\nno (guessed)\n")
    }

    @Test func `a connection that is made anew is metered as well`() async throws {
        let output = try await Self.script(
            """
            linkcond override set -i eth0 --expensive --quiet; metered
            nmcli connection down wire >/dev/null; nmcli connection up wire >/dev/null
            becomes yes
            linkcond override clear --quiet; becomes 'no (guessed)'; ends
            """)
        #expect(output == "yes\nyes\nno (guessed)\n")
    }

    @Test func `several callers at once agree on one that follows`() async throws {
        let output = try await Self.script(
            """
            for number in 1 2 3 4 5; do
                linkcond override set -i eth0 --expensive --quiet &
                linkcond override set -i eth0 --constrained --quiet &
            done
            wait $(jobs -p)
            metered; followers | wc -l
            for number in 1 2 3 4 5; do linkcond override clear --quiet & done
            wait $(jobs -p)
            metered; ends
            """)
        #expect(output == "yes\n1\nno (guessed)\n")
    }

    @Test func `the network of a sandbox is none of its business`() async throws {
        let output = try await Self.script(
            """
            ip netns add elsewhere
            ip -n elsewhere link add eth0 type veth peer name other
            ip netns exec elsewhere linkcond override set -i eth0 --expensive --quiet
            metered; followers
            ip netns delete elsewhere
            """)
        #expect(output == "no (guessed)\n")
    }
}
