import Foundation
import LinkTesting
import Testing

/// What is said names what was meant.
@Suite("Words of messages", .tags(.unit))
struct WordingTests {
    @Test func `a file that looks like a scenario is judged as one`() async throws {
        try await withTemporaryDirectory { directory in
            let scenario = "interfaces:\n  eth0: { profile: LTE }\n"
            let filler = String(
                repeating: "# \(String(repeating: "x", count: 1000))\n", count: 1200)
            try directory.write(scenario + filler, to: "large.yaml")
            let large = try await runLinkcond("show", "./large.yaml", in: directory)
            #expect(large.exitCode == 78, "\(large)")
            #expect(
                large.standardError.contains("is larger than 1024 KiB, which no scenario is"),
                "\(large)")
            let missing = try await runLinkcond(
                "run", "--scenario", "./none.yaml", "--", "true", in: directory)
            #expect(
                missing.standardError.contains(
                    "no such file; linkcond list --scenarios shows the scenarios that need none"),
                "\(missing)")
        }
    }

    @Test func `the schema of profiles takes what linkcond takes`() async throws {
        let yaml = """
            name: Train
            down: { bandwidth: 8 Mbit/s, delay: 60 ms, loss: { mean: 2%, burst: 8 } }
            up: { bandwidth: 2 Mbit/s, delay: 70 ms, queue: 200 ms }
            """
        try await withTemporaryDirectory { directory in
            let file = try directory.write(yaml, to: "train.yaml")
            let shown = try await runLinkcond("show", file)
            #expect(shown.exitCode == 0, "\(shown)")
            let json = try await runProcess(
                "python3",
                [
                    "-c",
                    "import json,sys,yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))",
                    file,
                ])
            try await JSONSchema("profile").expectValid(json.standardOutput)
        }
    }

    @Test func `help and usage have the options`() async throws {
        let merge = try await runLinkcond("matrix", "merge", "--help")
        for option in ["--report", "--json", "--collect"] {
            #expect(merge.standardOutput.contains(option))
        }
        let set = try await runLinkcond("override", "set")
        #expect(set.exitCode == 64)
        for option in ["--expensive", "--constrained", "--for", "--prefer"] {
            #expect(set.standardError.split(separator: "Usage:").last?.contains(option) == true)
        }
    }

    @Test func `a delay that jitter cuts at zero is shown as the link has it`() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write(
                """
                name: Near
                down: { delay: 46 ms, jitter: 32.5 ms }
                up: { delay: 46 ms, jitter: 32.5 ms }
                """, to: "near.yaml")
            let cut = try await runLinkcond("show", file).standardOutput
            #expect(cut.contains(/link delay +47\.\d ms ± 30(\.\d)? ms/), "\(cut)")
            #expect(cut.contains(/round trip +92 ms, on average 94\.\d ms/), "\(cut)")
            let whole = try await runLinkcond("show", "LTE").standardOutput
            #expect(!whole.contains("link delay") && !whole.contains("average"))
        }
    }
}

@Suite("The doctor of a user")
struct UserDoctorTests {
    @Test(.enabled("only root can become another user") { getuid() == 0 })
    func `doctor does not judge what it cannot ask for`() async throws {
        let result = try await runLinkcond("doctor", userID: 65534)
        #expect(!result.standardOutput.contains("does not work"), "\(result)")
        #expect(!result.standardOutput.contains("chmod"), "\(result)")
        #expect(result.standardOutput.contains("linkcond apply takes root"), "\(result)")
    }
}
