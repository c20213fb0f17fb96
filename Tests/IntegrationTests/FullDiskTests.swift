import Foundation
import LinkTesting
import Testing

/// What becomes of a named file where there is no room for its new contents.
@Suite("Files on a full disk", .requiresNamespaces, .tags(.anyKernel))
struct FullDiskTests {
    /// What there is none of any more, as options of mount(8) for a file system on which it is soon
    /// used up.
    enum Shortage: String, CaseIterable {
        case room = "size=64k"
        case files = "nr_inodes=32"
    }

    /// Commands that write over `old`, beside which there is a `profile`, and a `trace`.
    static let commands = [
        "import profile -o old --force",
        "import profile --name old --save --force",
        "trace generate constant --for 2s -o old --force",
        "trace show trace --svg old",
        "run LTE --uplink none --stats old -- true",
        "run LTE --uplink none --timeline old -- true",
    ]

    /// Runs `command`, behind `words`, where nothing more has room; returns how it ended and what is
    /// there then.
    private static func result(
        _ command: String, _ shortage: Shortage, behind words: String = "", in directory: String
    ) async throws -> ProcessResult {
        let script = """
            cd "$1"
            echo '{"down": 1600, "up": 768, "rtt": 150}' >profile
            seq 10 10 2000 >trace
            mkdir disk
            mount -t tmpfs -o \(shortage.rawValue) none disk
            mkdir disk/linkcond
            ln -s .. disk/linkcond/profiles
            ln -s old disk/old.yaml
            mv profile trace disk
            cd disk
            echo old >old
            head -c 1M /dev/zero >fill 2>/dev/null
            for number in $(seq 100); do true 2>/dev/null >$number || break; done
            ls -A >../before
            XDG_CONFIG_HOME=$1/disk \(words) "$0" \(command)
            echo "exit code $?"
            cat old
            ls -A | diff ../before -
            """
        return try await runProcess(
            "unshare", ["--mount", "sh", "-c", script, try SandboxedRun.program(), directory])
    }

    @Test(arguments: commands, Shortage.allCases)
    func `the old contents stay, and the command ends with 73`(
        command: String, shortage: Shortage
    ) async throws {
        try await withTemporaryDirectory { directory in
            let result = try await Self.result(command, shortage, in: directory.path)
            #expect(result.standardOutput.hasSuffix("exit code 73\nold\n"), "\(result)")
            #expect(result.standardError.contains("No space left on device"), "\(result)")
        }
    }

    @Test func `verify says so before it measures, and leaves nothing`() async throws {
        try await withTemporaryDirectory { directory in
            let result = try await Self.result(
                "verify 3G --quick", .room, behind: "env TMPDIR=$PWD", in: directory.path)
            #expect(result.standardOutput == "exit code 73\nold\n", "\(result)")
            #expect(result.standardError.contains("No space left on device"), "\(result)")
            #expect(!result.standardError.contains("Domain"), "\(result)")
        }
    }

    @Test func `a run of which packets could not be recorded is not explained`() async throws {
        try await withTemporaryDirectory { directory in
            let script = """
                cd "$1"
                mkdir disk
                mount -t tmpfs -o size=40k none disk
                TMPDIR=$PWD/disk "$0" run WiFi --explain run.json -- \
                    ping -q -f -c 1500 host.linkcond >/dev/null
                echo "exit code $?"
                ls
                """
            let result = try await runProcess(
                "unshare",
                ["--mount", "sh", "-c", script, try SandboxedRun.program(), directory.path])
            #expect(result.standardOutput == "exit code 73\ndisk\n", "\(result)")
            #expect(result.standardError.contains("the run is not explained"), "\(result)")
        }
    }

    @Test(
        .enabled(if: hasPrograms("strace"), "strace is not installed"), arguments: commands)
    func `they stay where no file can be without a name as well`(command: String) async throws {
        try await withTemporaryDirectory { directory in
            let result = try await Self.result(
                command, .room, behind: Self.withoutUnnamedFiles, in: directory.path)
            #expect(result.standardOutput.hasSuffix("exit code 73\nold\n"), "\(result)")
            try shell("grep -q 'O_TMPFILE.*(INJECTED)' \(directory.path)/calls")
        }
    }

    /// As on a file system of another host, or in user space.
    private static let withoutUnnamedFiles = """
        strace -f -qq -o "$1/calls" -P "$1/disk" --inject openat:error=EOPNOTSUPP
        """

    @Test(.enabled(if: hasPrograms("strace"), "strace is not installed"))
    func `where no file can be without a name, files are written all the same`() async throws {
        try await withTemporaryDirectory { directory in
            let script = """
                cd "$1"
                mkdir disk
                set -- "$1"
                for force in '' --force; do
                    \(Self.withoutUnnamedFiles) "$0" \
                        trace generate constant --for 2s -o disk/new $force --quiet || exit
                    grep -c 'O_TMPFILE.*(INJECTED)' calls
                done
                "$0" trace generate constant --for 2s --quiet | cmp - disk/new
                \(Self.withoutUnnamedFiles) "$0" \
                    trace generate constant --for 2s -o disk/new --quiet
                echo "exit code $?"
                ls -A disk
                """
            let result = try await runProcess(
                "sh", ["-c", script, try SandboxedRun.program(), directory.path])
            #expect(result.standardOutput == "1\n1\nexit code 73\nnew\n", "\(result)")
        }
    }

    @Test(.enabled(if: hasPrograms("strace"), "strace is not installed"))
    func `room that is missing only when a file is closed ends a command with 73 as well`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            // What has several names is written in place, and so under a name that strace knows.
            let script = """
                cd "$1"
                touch one && ln one other
                strace -f -qq -o calls -P "$1/one" --inject close:error=EDQUOT "$0" \
                    trace generate constant --for 2s -o "$1/one" --force --quiet
                echo "exit code $?"
                """
            let result = try await runProcess(
                "sh", ["-c", script, try SandboxedRun.program(), directory.path])
            #expect(result.standardOutput == "exit code 73\n", "\(result)")
            #expect(result.standardError.contains("Disk quota exceeded"), "\(result)")
        }
    }
}
