import Foundation
import LinkTesting
import Testing

/// Commands that linkcond prints with names that others have chosen, given to a shell.
@Suite("Printed commands", .requiresNamespaces, .tags(.anyKernel))
struct PrintedCommandTests {
    /// What would write a file called `p`, if a shell saw more in it than a name.
    private static let interface = "q'$(>p)`>p`&"
    private static let profile = "a';>p;'$(>p)"

    /// Runs `body` in a network that has that interface, and with a file of that profile.
    private static func with(
        _ body: (TestNetwork, _ profile: String, TemporaryDirectory) async throws -> Void
    ) async throws {
        try await TestNetwork.with { network in
            try await withTemporaryDirectory { directory in
                let words = ["link", "add", interface, "type", "veth", "peer", "name", "y0"]
                for arguments in [
                    words, ["link", "set", interface, "up"], ["link", "set", "y0", "up"],
                ] {
                    let result = try await network.run("ip", arguments)
                    #expect(result.exitCode == 0, "\(result.standardError)")
                }
                let file = try directory.write(
                    "name: \"\(profile)\"\ndown: { loss: 100% }\nup: { loss: 100% }\n",
                    to: "profile.yaml")
                try shell("chmod -R a+rX \(directory.path)")
                try await body(network, file, directory)
            }
        }
    }

    /// What commands in `script` are called with, a dot behind each word; nothing is executed.
    private static func calls(_ script: String, _ directory: TemporaryDirectory) throws -> String {
        let place = directory.path + "/empty"
        try FileManager.default.createDirectory(
            atPath: place, withIntermediateDirectories: true)
        let functions = HostileWords.printing(
            "ip", "tc", "sudo", "linkcond",
            script: "nft() { while read -r line; do :; done; }\n\(script)")
        try directory.write(functions, to: "script")
        let output = try shell("cd \(place); PATH=; . ../script")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [])
        return output
    }

    @Test(arguments: ["kernel", "engine"])
    func `a dry run is a script that does nothing else`(backend: String) async throws {
        try await Self.with { network, profile, directory in
            for arguments in [[], ["--to", "192.0.2.0/24", "--port", "80"]] {
                let result = try await network.linkcond(
                    ["apply", profile, "-i", Self.interface, "--backend", backend, "--dry-run"]
                        + arguments)
                #expect(result.exitCode == 0, "\(result.standardError)")
                let calls = try Self.calls(result.standardOutput, directory)
                #expect(calls.contains("profile=user/\(Self.profile)."), "\(calls)")
                #expect(calls.contains(".\(Self.interface)."), "\(calls)")
            }
        }
    }

    @Test func `the way back from a line that was cut is one command`() async throws {
        try await Self.with { network, profile, directory in
            // Who may not apply is told before.
            let result = try await network.run(
                "setpriv",
                [
                    "--reuid=65534", "--regid=65534", "--clear-groups", try TestNetwork.program(),
                    "apply", profile, "-i", Self.interface,
                ])
            let note = try #require(result.standardError.firstRange(of: "opens the line again: "))
            let command = result.standardError[note.upperBound...].prefix { $0 != "\n" }
            #expect(
                try Self.calls(String(command), directory)
                    == "linkcond.clear.-i.\(Self.interface).")
        }
    }

    @Test func `an example for tc is for the interface that was named`() async throws {
        try await Self.with { network, profile, directory in
            for name in [Self.interface, "e\n>p\n#"] {
                let script = try await network.mustRun(
                    "show", profile, "--format", "tc", "-i", name)
                #expect(try Self.calls(script, directory).contains(".\(name)."))
            }
        }
    }

    @Test func `a cell that failed is run again by what is printed`() async throws {
        try await MatrixRun.with { matrix in
            try matrix.directory.write("name: \"a';>p;'\"\n", to: "a';>p;'.yaml")
            let command = ["sh", "-c", "exit 3 # '\n>p\n$(>p)", "", "$HOME"]
            let result = try await matrix.result(
                ["--profiles", "./a';>p;'.yaml", "--no-baseline", "--"] + command)
            #expect(result.exitCode == 1)
            let start = try #require(result.standardError.firstRange(of: "  again: "))
            let text = result.standardError[start.upperBound...]
            let end = text.firstRange(of: "\nnote: ")?.lowerBound ?? text.endIndex
            let calls = try Self.calls(String(text[..<end]), matrix.directory)
            #expect(calls.hasPrefix("run../a';>p;'.yaml."))
            #expect(calls.hasSuffix((["--"] + command).map { $0 + "." }.joined()))
        }
    }
}
