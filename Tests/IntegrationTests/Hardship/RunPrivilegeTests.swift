import Foundation
import LinkTesting
import Testing

/// What `run` and `doctor` do, and say, where a container or a limit takes privileges away.
@Suite(
    "Run and doctor: few privileges", .requiresNamespaces, .tags(.contrary, .anyKernel),
    .enabled(if: hasPrograms("setpriv", "unshare", "mount"), "a program is missing"))
struct RunPrivilegeTests {
    /// Runs `script`, in which `$LINKCOND` is linkcond and `$USER_WORDS` go before what another user does.
    private static func shell(_ script: String) async throws -> ProcessResult {
        var environment = ProcessInfo.processInfo.environment
        environment["LINKCOND"] = try SandboxedRun.program()
        let user = "\(Caller.ordinaryUserID)"
        environment["USER_WORDS"] =
            "setpriv --reuid \(user) --regid \(user) --clear-groups --inh-caps=-all --"
        return try await runProcess("sh", ["-c", script], environment: environment)
    }

    @Test(arguments: ["sys_admin", "net_admin", "net_raw"])
    func `root who lacks a capability takes a user namespace`(capability: String) async throws {
        let result = try await Self.shell(
            """
            exec setpriv --bounding-set -\(capability) --inh-caps=-all $LINKCOND run LTE \\
                --uplink none -- echo inside
            """)
        #expect(result.exitCode == 0 && result.standardOutput == "inside\n", "\(result)")
    }

    /// Without CAP_SETFCAP root has no user namespace either.
    @Test func `root without capabilities is told of them by run and by doctor`() async throws {
        let words = "setpriv --bounding-set=-all --inh-caps=-all $LINKCOND"
        let run = try await Self.shell("\(words) run LTE --uplink none -- true")
        #expect(run.exitCode == 125)
        let lack = "root lacks CAP_SYS_ADMIN, CAP_NET_ADMIN and CAP_NET_RAW here"
        #expect(run.standardError.contains(lack) && !run.standardError.contains("sudo"), "\(run)")
        let doctor = try await Self.shell("\(words) doctor")
        #expect(doctor.exitCode == 69)
        #expect(doctor.standardOutput.contains("linkcond run does not work"), "\(doctor)")
        #expect(!doctor.standardOutput.contains("vanished"), "\(doctor)")
    }

    @Test func `sudo that gives too little is told to be left out`() async throws {
        let result = try await Self.shell(
            """
            export SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody
            exec setpriv --bounding-set -net_admin --inh-caps=-all $LINKCOND run LTE \\
                --uplink none -- true
            """)
        #expect(result.exitCode == 125)
        #expect(result.standardError.contains("CAP_NET_ADMIN"), "\(result)")
        #expect(result.standardError.contains("leave sudo out"), "\(result)")
    }

    @Test func `a container that hides a part of proc is no place for users`() async throws {
        // The mount covers a part of /proc, as the masks of container runtimes do.
        let container = { (command: String) in
            try await Self.shell(
                """
                exec unshare --mount --pid --fork --mount-proc sh -c '
                    mount --bind /proc/sys /proc/sys && exec $USER_WORDS $LINKCOND \(command)'
                """)
        }
        let run = try await container("run LTE --uplink none -- true")
        #expect(run.exitCode == 125)
        #expect(run.standardError.contains("systempaths=unconfined"), "\(run)")
        let doctor = try await container("doctor")
        #expect(doctor.standardOutput.contains("linkcond run does not work"), "\(doctor)")
        #expect(doctor.standardOutput.contains("in a container"), "\(doctor)")
        #expect(doctor.standardOutput.contains("unmask=ALL"), "\(doctor)")
    }

    @Test(arguments: ["net 0", "net 2", "pid 0"])
    func `a limit of namespaces is told by its name`(limit: String) async throws {
        let words = limit.split(separator: " ")
        let setting = "max_\(words[0])_namespaces"
        // In a user namespace of its own the limit concerns nobody else.
        let limited = { (command: String) in
            try await Self.shell(
                """
                exec $USER_WORDS unshare --user --map-root-user sh -c '
                    echo \(words[1]) >/proc/sys/user/\(setting) && exec $LINKCOND \(command)'
                """)
        }
        let run = try await limited("run LTE --uplink none -- true")
        #expect(run.exitCode == 125)
        #expect(run.standardError.contains("user.\(setting) is \(words[1])"), "\(run)")
        let doctor = try await limited("doctor")
        #expect(doctor.standardOutput.contains("user.\(setting) is \(words[1])"), "\(doctor)")
        #expect(doctor.standardOutput.contains("linkcond run does not work"), "\(doctor)")
    }
}
