import Foundation
import LinkTesting
import Testing

@Suite("Errors and exit codes", .tags(.unit))
struct ErrorTests {
    private static let usages: [([String], String)] = [
        (["show", "LTEE"], "linkcond: LTEE: no such profile; did you mean LTE?\n"),
        (
            ["run", "no-udp", "--", "true"],
            "linkcond: no-udp: this is a scenario, not a profile; linkcond play or run --scenario plays it\n"
        ),
        (
            ["run", "--scenario", "LTE", "--", "true"],
            "linkcond: LTE: this is a profile, not a scenario; linkcond apply or run PROFILE uses it\n"
        ),
        (["show", "qqqqqq"], "linkcond: qqqqqq: no such profile; linkcond list shows them\n"),
        (
            ["show", "\u{1b}[31m\nx"],
            "linkcond: \\u{1b}[31m\\u{a}x: no such profile; linkcond list shows them\n"
        ),
        (
            ["list", "-v", "--quiet"],
            """
            linkcond: --verbose and --quiet contradict each other; leave one out.
            Usage: linkcond list [--family <family>] [--scenarios] [--json] [--verbose] [--quiet]
              See 'linkcond list --help' for more information.

            """
        ),
        (
            ["show", "LTE", "--json", "--format", "yaml"],
            """
            linkcond: --json and --format yaml contradict each other; leave one out.
            Usage: linkcond show [<options>] <profile>
              See 'linkcond show --help' for more information.

            """
        ),
        (
            ["show"],
            """
            linkcond: Missing expected argument '<profile>'
            Help:  <profile>  The name of a profile or a scenario, or the path of its file.
            Usage: linkcond show [<options>] <profile>
              See 'linkcond show --help' for more information.

            """
        ),
    ]

    @Test("A wrong command line exits 64", arguments: usages)
    func wrongUsage(arguments: [String], message: String) async throws {
        let result = try await run(arguments)
        #expect(result.exitCode == 64)
        #expect(result.standardOutput == "")
        #expect(result.standardError == message)
    }

    @Test(
        "The argument parser's own errors exit 64 and name what is wrong",
        arguments: [
            (["lsit"], "lsit"), (["list", "--famly", "apple"], "--famly"),
            (["list", "--family"], "--family"), (["show", "LTE", "--format", "xml"], "'xml'"),
            (["show", "LTE", "3G"], "3G"), (["list", "\u{1b}[31m"], "\\u{1b}[31m"),
        ])
    func parser(arguments: [String], name: String) async throws {
        let result = try await run(arguments)
        #expect(result.exitCode == 64)
        #expect(result.standardOutput == "")
        #expect(result.standardError.hasPrefix("linkcond: "))
        #expect(result.standardError.contains(name), "\(result.standardError)")
        #expect(!result.standardError.contains("Error:"))
    }

    private func run(_ arguments: [String]) async throws -> ProcessResult {
        try await runProcess(
            BuiltProduct.path(of: "linkcond"), arguments,
            environment: ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"], workingDirectory: "/")
    }

    @Test("A bad profile file exits 78 and names the line")
    func badFile() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("name: A\ndown: { delay: 50 }\n", to: "lte.yaml")
            try directory.write("name: B\nname: C\n", to: ".linkcond/broken.yaml")
            let file = try await runLinkcond("show", "./lte.yaml", in: directory)
            #expect(file.exitCode == 78)
            #expect(
                file.standardError
                    == "linkcond: ./lte.yaml:2: down.delay: \"50\" has no unit; write \"50 ms\"\n")
            let named = try await runLinkcond("show", "broken", in: directory)
            #expect(named.exitCode == 78)
            #expect(
                named.standardError
                    == "linkcond: .linkcond/broken.yaml:1: name is given twice; keep one\n")
        }
    }

    @Test("A file that cannot be read exits 74")
    func unreadable() async throws {
        try await withTemporaryDirectory { directory in
            let missing = try await runLinkcond("show", "missing.yaml", in: directory)
            #expect(missing.exitCode == 74)
            #expect(
                missing.standardError
                    == "linkcond: missing.yaml: no such file; "
                    + "linkcond list shows the profiles that need none\n")
            let other = try await runLinkcond("show", "./", in: directory)
            #expect(other.exitCode == 74)
            #expect(other.standardError == "linkcond: ./: is not a file; name a YAML file\n")
        }
    }

    @Test("A file that may not be read exits 74, and the list notes it")
    func forbidden() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("name: A\n", to: ".linkcond/secret.yaml")
            try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: file)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: directory.path)
            // Root may read everything, so it becomes nobody.
            let isRoot = try await runProcess("id", ["-u"]).standardOutput == "0\n"
            let userID: UInt32? = isRoot ? 65534 : nil
            let explanation =
                ".linkcond/secret.yaml: you may not read it; change its permissions"
            let show = try await runLinkcond("show", "secret", in: directory, userID: userID)
            #expect(show.exitCode == 74)
            #expect(show.standardError == "linkcond: \(explanation)\n")
            let list = try await runLinkcond("list", in: directory, userID: userID)
            #expect(list.exitCode == 0)
            #expect(list.standardError == "note: \(explanation)\n")
        }
    }
}
