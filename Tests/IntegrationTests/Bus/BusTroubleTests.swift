import Foundation
import LinkTesting
import Testing

/// What happens where something of D-Bus is missing or breaks.
@Suite("Bus: trouble", .requiresNamespaces, .requiresInstalled("dbus-daemon"), .tags(.anyKernel))
struct BusTroubleTests {
    /// Runs a shell script that calls `linkcond` from a directory of its own, in which everybody
    /// may do everything; `$DIRECTORY` names it.
    private static func script(
        _ text: String, by caller: Caller = .root, withHelper hasHelper: Bool = true
    ) async throws -> ProcessResult {
        try await withTemporaryDirectory { directory in
            let program = try SandboxedRun.program()
            let copies = hasHelper ? [program, program + "-bus"] : [program]
            try shell(
                "chmod 777 \(directory.path); ln \(copies.joined(separator: " ")) \(directory.path)"
            )
            let preamble = "DIRECTORY=\(directory.path); PATH=$DIRECTORY:$PATH\n"
            return try await runProcess("bash", ["-c", preamble + text], userID: caller.userID)
        }
    }

    @Test(arguments: ["--dbus", "--portal"])
    func `without the helper a run that wants a bus says so`(option: String) async throws {
        let result = try await Self.script(
            "linkcond run LTE \(option) --uplink none -- echo ran", withHelper: false)
        #expect(result.exitCode == 125)
        #expect(result.standardOutput.isEmpty)
        #expect(
            result.standardError.contains("linkcond-bus, which serves D-Bus, is not next to"))
    }

    @Test func `without the helper an override is a run without a bus`() async throws {
        let result = try await Self.script(
            "linkcond run LTE --expensive -v --uplink none -- echo ran", withHelper: false)
        #expect(result.exitCode == 0)
        #expect(result.standardOutput == "ran\n")
        #expect(result.standardError.contains("is not next to linkcond"))
        let quiet = try await Self.script(
            "linkcond run LTE --expensive --uplink none -- echo ran", withHelper: false)
        #expect(quiet.standardError.isEmpty, "\(quiet.standardError)")
    }

    /// How a part of D-Bus is hidden, and what a run says of that.
    static let lacks = [
        ("mount --bind /dev/null $(command -v dbus-daemon)", "dbus-daemon"),
        (
            "mount --bind /dev/null $(readlink -f /usr/lib/*/libsystemd.so.0)",
            "libsystemd.so.0: file too short"
        ),
    ]

    @Test(arguments: lacks)
    func `without daemon or library a run that wants a bus says so, and doctor the way out`(
        hiding: String, message: String
    ) async throws {
        // An empty file that may not be executed stands for none.
        let result = try await Self.script(
            """
            export hiding='\(hiding)'
            unshare --mount --propagation private bash -c '
                eval "$hiding"
                linkcond run LTE --dbus --uplink none -- echo ran; echo code $?
                linkcond run LTE --expensive --uplink none -- echo ran
                linkcond doctor --json'
            """)
        #expect(result.standardOutput.hasPrefix("code 125\nran\n"), "\(result.standardOutput)")
        #expect(result.standardError.contains(message), "\(result.standardError)")
        #expect(result.standardOutput.contains("sudo apt install"))
    }

    @Test(arguments: Caller.allCases)
    func `a helper that dies leaves the command alone, and is missed`(
        caller: Caller
    ) async throws {
        let result = try await Self.script(
            """
            linkcond run LTE --dbus --uplink none -- bash -c '
                for file in /proc/[0-9]*/exe; do
                    case $(readlink $file) in *linkcond-bus) kill -9 ${file//[!0-9]/};; esac
                done
                while grep -q linkcond-bus /proc/[0-9]*/stat; do sleep 0.05; done
                echo ran'
            """, by: caller)
        #expect(result.exitCode == 0)
        #expect(result.standardOutput == "ran\n")
        #expect(result.standardError.contains("the sandbox's D-Bus ended (signal 9)"))
    }

    @Test(arguments: ["TERM", "KILL"])
    func `a bus daemon that dies leaves the command alone, and is missed`(
        signal: String
    ) async throws {
        let result = try await Self.script(
            """
            linkcond run LTE --dbus --uplink none -- bash -c '
                for file in /proc/[0-9]*/exe; do
                    case $(readlink $file) in *dbus-daemon) kill -\(signal) ${file//[!0-9]/};; esac
                done
                while grep -q linkcond-bus /proc/[0-9]*/stat; do sleep 0.05; done
                echo ran'
            """)
        #expect(result.exitCode == 0)
        #expect(result.standardOutput == "ran\n")
        #expect(result.standardError.contains("the sandbox's D-Bus ended"))
    }

    @Test(arguments: Caller.allCases)
    func `nothing of a bus is left when a run is killed`(caller: Caller) async throws {
        let result = try await Self.script(
            """
            processes() { grep -lsz "^LCTEST_BUS=$DIRECTORY" /proc/[0-9]*/environ; }
            export LCTEST_BUS=$DIRECTORY TMPDIR=$DIRECTORY
            for moment in 0.00 0.01 0.02 0.03 0.05 0.1 1; do
                linkcond run LTE --portal --uplink none -- sleep 50 &
                sleep $moment
                { kill -9 $!; wait $!; } 2>/dev/null
                # Those who call from here are not meant.
                for round in $(seq 500); do
                    left=$(processes | grep -v "/$$/")
                    [ -z "$left" ] && break
                    sleep 0.02
                done
                [ -z "$left" ] || echo "after $moment s: $left"
            done
            ls $DIRECTORY
            """, by: caller)
        #expect(result.standardOutput == "linkcond\nlinkcond-bus\n")
    }

    @Test func `two sandboxes have two buses`() async throws {
        let result = try await Self.script(
            """
            probe='dbus-send --system --print-reply=literal --dest=org.freedesktop.NetworkManager \\
                /org/freedesktop/NetworkManager org.freedesktop.DBus.Properties.Get \\
                string:org.freedesktop.NetworkManager string:Metered'
            linkcond run WiFi --expensive --uplink none -- sh -c \\
                "$probe; linkcond run WiFi --dbus --uplink none -- $probe; $probe"
            """)
        #expect(result.exitCode == 0, "\(result.standardError)")
        let numbers = result.standardOutput.split(separator: "\n").compactMap { $0.last }
        #expect(numbers == ["1", "4", "1"], "\(result.standardOutput)")
    }
}
