import LinkTesting
import Testing

@Suite("Running processes")
struct RunProcessTests {
    @Test("Exit code and both streams come back")
    func results() async throws {
        let result = try await runProcess("/bin/sh", ["-c", "echo out; echo err >&2; exit 3"])
        #expect(result.exitCode == 3)
        #expect(result.signal == nil)
        #expect(result.standardOutput == "out\n")
        #expect(result.standardError == "err\n")
    }

    @Test("A signal is told apart from an exit code")
    func signals() async throws {
        let result = try await runProcess("/bin/sh", ["-c", "kill -TERM $$"])
        #expect(result.exitCode == nil)
        #expect(result.signal == 15)
    }

    @Test("Input, environment and working directory reach the process")
    func surroundings() async throws {
        try await withTemporaryDirectory { directory in
            let result = try await runProcess(
                "/bin/sh", ["-c", "cat; echo $COLOUR; pwd; echo [$HOME]"],
                environment: ["COLOUR": "green"], workingDirectory: directory.path,
                input: "given\n")
            #expect(result.standardOutput == "given\ngreen\n\(directory.path)\n[]\n")
        }
    }

    @Test("A program without a path is looked for in PATH")
    func lookup() async throws {
        #expect(try await runProcess("true").exitCode == 0)
    }

    @Test("Megabytes of output come back whole")
    func muchOutput() async throws {
        let result = try await runProcess(
            "/bin/sh", ["-c", "head -c 5000000 /dev/zero | tr '\\0' x"])
        #expect(result.standardOutput.utf8.count == 5_000_000)
    }

    @Test("A process in the background does not hold up the result")
    func background() async throws {
        let result = try await runProcess(
            "/bin/sh", ["-c", "sleep 30 & echo $!"], timeout: .seconds(20))
        #expect(result.exitCode == 0)
        let processID = result.standardOutput.split(separator: "\n").first.map(String.init) ?? ""
        _ = try await runProcess("/bin/sh", ["-c", "kill \(processID)"])
    }

    @Test("After the time-out the whole session is gone, and what was said is told")
    func timeout() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.path + "/process"
            let error = await #expect(throws: ProcessTimeout.self) {
                try await runProcess(
                    "/bin/sh", ["-c", "echo before; sleep 300 & echo $! >\(file); sleep 300"],
                    timeout: .milliseconds(500))
            }
            #expect(error?.description.contains("output: before") == true)
            // Whoever adopted it may take a while to take note of its end.
            let result = try await runProcess(
                "/bin/sh",
                [
                    "-c",
                    """
                    read -r process <\(file)
                    for _ in $(seq 100); do
                        case $(cut -d ' ' -f 3 /proc/$process/stat 2>/dev/null) in
                            '' | Z) exit 0 ;;
                        esac
                        sleep 0.1
                    done
                    exit 1
                    """,
                ])
            #expect(result.exitCode == 0, "\(result.standardError)")
        }
    }

    @Test("What cannot be started is an error")
    func missing() async {
        await #expect(throws: (any Error).self) {
            try await runProcess("/no/such/program")
        }
    }
}
