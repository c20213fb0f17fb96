import Foundation
import LinkTesting
import Testing

@Suite("linkcond import", .tags(.unit))
struct ImportTests {
    /// A sample file of the tests of ProfileImport.
    private static func sample(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "ProfileImportTests/Fixtures").appending(path: name).path
    }

    @Test(
        "What is printed loads again as a profile",
        arguments: [
            ["throttle.json"], ["Edge-Lossy.json"], ["lighthouse-report.json"],
            ["defaults-read.txt"], ["Station-LTE.down"],
            ["settings.binary.plist", "--only", "hotel-wi-fi"],
            ["connectivity.ini", "--only", "Dial", "--name", "My modem: 56K"],
            ["tcshow.json", "--only", "eth1"],
        ])
    func printed(arguments: [String]) async throws {
        try await withTemporaryDirectory { directory in
            let result = try await linkcond(
                ["import", Self.sample(arguments[0])] + arguments.dropFirst(), in: directory)
            #expect(result.exitCode == 0, "\(result.standardError)")
            try directory.write(result.standardOutput, to: "file.yaml")
            let show = try await linkcond(["show", "./file.yaml", "--json"], in: directory)
            #expect(show.exitCode == 0, "\(show.standardError)")
            try await JSONSchema("show").expectValid(show.standardOutput)
        }
    }

    @Test("What is left out is noted on standard error, why numbers differ with -v")
    func notes() async throws {
        let file = Self.sample("lighthouse-report.json")
        let note = "note: Left out: cpuSlowdownMultiplier 4, which is about the processor.\n"
        #expect(try await runLinkcond("import", file).standardError == note)
        #expect(try await runLinkcond("import", file, "--quiet").standardError == "")
        let verbose = try await runLinkcond("import", file, "-v")
        #expect(verbose.standardError.contains("\nThe round trip is 150 ms: half of it"))
    }

    @Test("A file of several profiles asks which, and writes all into a directory")
    func several() async throws {
        try await withTemporaryDirectory { directory in
            let file = Self.sample("presets.plist")
            let ambiguous = try await linkcond(["import", file], in: directory)
            #expect(ambiguous.exitCode == 64 && ambiguous.standardOutput == "")
            #expect(ambiguous.standardError.contains(" has 2 profiles: 3G, High Latency DNS;"))
            let unknown = try await linkcond(["import", file, "--only", "3H"], in: directory)
            #expect(unknown.exitCode == 64)
            #expect(unknown.standardError.hasSuffix("; did you mean 3G?\n"))
            let all = try await linkcond(["import", file, "-o", "new/"], in: directory)
            #expect(all.exitCode == 0, "\(all.standardError)")
            #expect(all.standardError.contains("wrote 3G to new/3g.yaml\n"))
            let show = try await linkcond(["show", "new/high-latency-dns.yaml"], in: directory)
            #expect(show.exitCode == 0 && show.standardOutput.contains("3 s"))
        }
    }

    @Test("What is saved is found by name, and a name that means another profile is noted")
    func saved() async throws {
        try await withTemporaryDirectory { directory in
            let environment = ["XDG_CONFIG_HOME": directory.path + "/config"]
            let save = ["import", Self.sample("presets.plist"), "--save"]
            let result = try await linkcond(save, in: directory, environment)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.standardError.contains("; write user/3G for this one\n"))
            let show = try await linkcond(["show", "user/3G"], in: directory, environment)
            #expect(show.exitCode == 0 && show.standardOutput.contains("780 kbit/s"))
            let again = try await linkcond(save, in: directory, environment)
            #expect(again.exitCode == 73)
            #expect(again.standardError.contains("3g.yaml: already exists; --force overwrites"))
            let forced = try await linkcond(save + ["--force"], in: directory, environment)
            #expect(forced.exitCode == 0)
        }
    }

    @Test(
        "A profile shown in another format is imported with the same numbers",
        arguments: ["nlc", "tcconfig", "throttle", "webpagetest", "atc"])
    func shown(format: String) async throws {
        try await withTemporaryDirectory { directory in
            let show = try await linkcond(
                ["show", "webpagetest/3G", "--format", format], in: directory)
            #expect(show.exitCode == 0 && show.standardError == "")
            try directory.write(show.standardOutput, to: "foreign")
            let yaml = try await linkcond(["import", "foreign"], in: directory).standardOutput
            #expect(yaml.contains("\ndown: { bandwidth: 1.6 Mbit/s, delay: 150 ms }\n"), "\(yaml)")
            #expect(yaml.contains("\nup: { bandwidth: 768 kbit/s, delay: 150 ms }\n"), "\(yaml)")
        }
        let lte = try await runLinkcond("show", "LTE", "--format", "throttle")
        #expect(lte.standardError.contains("note: down.delay 50 ms became 57.5 ms\n"))
    }

    @Test("Standard input is read, and a file written")
    func pipe() async throws {
        try await withTemporaryDirectory { directory in
            let program = "\"$1\" import - --name Piped --output out.yaml < \"$2\""
            let result = try await runProcess(
                "sh",
                [
                    "-c", program, "sh", BuiltProduct.path(of: "linkcond"),
                    Self.sample("throttle.json"),
                ],
                workingDirectory: directory.path)
            #expect(result.exitCode == 0)
            #expect(result.standardError == "wrote Piped to out.yaml\n")
            let show = try await linkcond(["show", "./out.yaml"], in: directory)
            #expect(show.standardOutput.hasPrefix("Piped (user/Piped)\n"))
        }
    }

    @Test("A second trace is the way from the app, and only traces have one")
    func traces() async throws {
        let (down, up) = (Self.sample("Station-LTE.down"), Self.sample("Station-LTE.up"))
        let both = try await runLinkcond("import", down, "--up", up)
        #expect(both.exitCode == 0)
        #expect(both.standardOutput.contains("\ndown: { trace: \"\(down)\" }\n"))
        #expect(both.standardOutput.contains("\nup: { trace: \"\(up)\" }\n"))
        let wrong = try await runLinkcond("import", Self.sample("throttle.json"), "--up", up)
        #expect(wrong.exitCode == 64)
        #expect(wrong.standardError.contains("is of format throttle"))
    }

    @Test("Files that cannot be read, are no such files or cannot be written")
    func bad() async throws {
        try await withTemporaryDirectory { directory in
            let huge = try directory.write("", to: "huge.json")
            let handle = try FileHandle(forWritingTo: URL(filePath: huge))
            try handle.truncate(atOffset: 1 << 30)
            try handle.close()
            try directory.write("", to: "empty")
            try directory.write("{\"up\": ", to: "cut.json")
            try directory.write("{\"up\": -5}", to: "negative.json")
            _ = try await runProcess("mkfifo", [directory.path + "/pipe"])
            let cases: [([String], Int, String)] = [
                (["missing"], 74, "missing: no such file\n"),
                (["."], 74, ".: is a directory; name a file\n"),
                (["pipe"], 74, "pipe: is not a file; linkcond import - reads standard input\n"),
                (["huge.json"], 78, "huge.json: is larger than 64 MiB, which no such file is\n"),
                (["empty"], 78, "empty: is empty\n"),
                (["cut.json"], 78, "cut.json:1: not valid as JSON: "),
                (["negative.json"], 78, "negative.json: up: -5 is negative; no link has that\n"),
                (["/etc/hostname"], 78, "/etc/hostname: is in no format that linkcond knows; "),
                (["x", "--format", "xml"], 64, "'xml'"),
                (["x", "--save", "-o", "y"], 64, "--save and --output contradict each other"),
                (["x", "--name", "a/b"], 64, "has a slash"),
                ([Self.sample("throttle.json"), "-o", "/proc/x/y"], 73, "/proc/x/y: cannot be"),
            ]
            for (arguments, code, message) in cases {
                let result = try await linkcond(["import"] + arguments, in: directory)
                #expect(result.exitCode == Int32(code), "\(arguments) \(result)")
                #expect(result.standardError.contains(message), "\(result.standardError)")
                #expect(result.standardOutput == "")
            }
        }
    }

    private func linkcond(
        _ arguments: [String], in directory: TemporaryDirectory,
        _ environment: [String: String] = [:]
    ) async throws -> ProcessResult {
        var variables = ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"]
        variables.merge(environment) { _, new in new }
        return try await runProcess(
            BuiltProduct.path(of: "linkcond"), arguments, environment: variables,
            workingDirectory: directory.path)
    }
}
