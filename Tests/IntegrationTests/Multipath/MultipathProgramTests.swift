import Foundation
import LinkTesting
import LinuxKernel
import Testing

extension Trait where Self == ConditionTrait {
    /// Runs a test only where the kernel has Multipath TCP.
    static var requiresMultipath: Self {
        .enabled("the kernel has to have Multipath TCP") { (try? MultipathSupport.check()) != nil }
    }

    /// Such as to see how that is said: in the lab.
    static var requiresAbsenceOfMultipath: Self {
        .enabled("the kernel must not have Multipath TCP") {
            (try? MultipathSupport.check()) == nil
        }
    }
}

/// Which programs get sockets of Multipath TCP.
@Suite("Multipath TCP: programs", .requiresNamespaces, .tags(.contrary))
struct MultipathProgramTests {
    private static let options = [
        "--interface", "wifi0=WiFi", "--interface", "cell0=LTE", "--multipath", "handover",
        "--uplink", "none",
    ]

    @Test(.requiresMultipath, .tags(.anyKernel), arguments: Caller.allCases)
    func `programs get its sockets with the flags that they asked for`(
        caller: Caller
    ) async throws {
        let script = """
            import socket
            SO_PROTOCOL = 38
            plain = socket.socket()
            print(plain.getsockopt(socket.SOL_SOCKET, SO_PROTOCOL), plain.get_inheritable())
            six = socket.socket(socket.AF_INET6, socket.SOCK_STREAM | socket.SOCK_NONBLOCK, 6)
            print(six.getsockopt(socket.SOL_SOCKET, SO_PROTOCOL), six.getblocking())
            print(socket.socket(type=socket.SOCK_DGRAM).getsockopt(socket.SOL_SOCKET, SO_PROTOCOL))
            """
        let output = try await SandboxedRun(
            arguments: Self.options + ["--", "python3", "-c", script], by: caller
        ).output()
        #expect(output == "262 False\n262 False\n17\n")
    }

    @Test(.requiresMultipath, .tags(.anyKernel))
    func `a network namespace that the command makes has plain TCP`() async throws {
        let script = "import socket; print(socket.socket().getsockopt(socket.SOL_SOCKET, 38))"
        let output = try await SandboxedRun(
            arguments: Self.options + ["--", "unshare", "--net", "python3", "-c", script]
        ).output()
        #expect(output == "6\n")
    }

    @Test(
        .requiresMultipath, .tags(.anyKernel), .enabled(if: hasPrograms("busybox")),
        arguments: Caller.allCases)
    func `a static program takes part, whoever calls`(caller: Caller) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path
            try shell("chmod 777 \(path); seq 1000 >\(path)/file")
            _ = try await SandboxedRun(
                arguments: Self.options + [
                    "--stats", "\(path)/stats.json", "--server",
                    "exec python3 -m http.server --bind :: --directory \(path) 8000 2>/dev/null",
                    "--server-ready", "8000", "--", "busybox", "wget", "-q", "-O", "\(path)/got",
                    "http://server.linkcond:8000/file",
                ], by: caller
            ).output()
            try shell("cmp \(path)/file \(path)/got")
            let statistics = try RunStatistics(path: "\(path)/stats.json")
            #expect(statistics.multipath?.connections == 1)
        }
    }

    @Test(
        .requiresMultipath, .tags(.anyKernel),
        .enabled(if: hasPrograms("strace"), "strace is not installed"),
        .timeLimit(.minutes(2)))
    func `a signal interrupts no call that waits while another is answered`() async throws {
        try await withTemporaryDirectory { directory in
            let result = try await runProcess(
                "python3",
                [
                    "slow_answers.py".absoluteFixture, directory.path,
                    try SandboxedRun.program(), "run",
                ] + Self.options)
            #expect(result.standardOutput == "262\n", "\(result)")
        }
    }

    @Test(.requiresAbsenceOfMultipath)
    func `a kernel without it is told apart from other failures`() async throws {
        let result = try await SandboxedRun(arguments: Self.options + ["--", "true"]).result()
        #expect(result.exitCode == 69)
        #expect(result.standardError.contains("this kernel has no Multipath TCP"))
    }
}
