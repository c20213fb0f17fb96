import LinkTesting
import Testing

/// Targets and time limits that cannot be meant. No privilege is needed to be told.
@Suite("Bad targets and limits", .tags(.unit))
struct TargetErrorTests {
    @Test(
        "Whose network and how long is checked before anything is done",
        arguments: [
            (["--netns", "lctest-no-such"], "--netns lctest-no-such: no such network namespace"),
            (["--netns", "./lctest/no-such"], "no such network namespace"),
            (["--netns", ""], "no such network namespace"),
            (["--netns", ".."], "no such network namespace"),
            (["--pid", "2147483647"], "--pid 2147483647: there is no such process"),
            (["--pid", "0"], "--pid 0: process IDs begin with 1"),
            (["--pid=-1"], "--pid -1: process IDs begin with 1"),
            (["--pid", "web"], "web"),
            (
                ["--container", "lctest-no-such"],
                "no such container of Docker, Podman or containerd"
            ),
            (["--container", ""], "no such container"),
            (["--pid", "1", "--netns", "blue"], "contradict each other"),
            (["--for", "0s"], "has to be longer than nothing"),
            (["--for=-5s"], "is negative"), (["--for", "10"], "has no unit"),
            (["--for", "9000h"], "is longer than a year"), (["--for", "soon"], "soon"),
            (["--until-exit-of", "0"], "process IDs begin with 1"),
        ])
    func wrong(arguments: [String], message: String) async throws {
        let result = try await runProcess(
            BuiltProduct.path(of: "linkcond"), ["apply", "LTE", "-i", "lo"] + arguments,
            environment: ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"])
        #expect(result.exitCode == 64)
        #expect(result.standardError.contains(message), "\(result.standardError)")
        #expect(result.standardOutput == "")
    }

    @Test("The network of somebody else's process takes privileges")
    func privileges() async throws {
        let isRoot = try await runProcess("id", ["-u"]).standardOutput == "0\n"
        for verb in [["apply", "LTE"], ["status"], ["clear"]] {
            let result = try await runProcess(
                BuiltProduct.path(of: "linkcond"), verb + ["--pid", "1"],
                environment: ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"],
                workingDirectory: "/", userID: isRoot ? 65534 : nil)
            #expect(result.exitCode == 77)
            #expect(
                result.standardError
                    == "linkcond: --pid 1: looking at its network requires privileges; run it with sudo\n"
            )
        }
    }
}
