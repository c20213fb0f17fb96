import Foundation
import LinkTesting
import Testing

@Suite("linkcond trace", .tags(.unit))
struct TraceTests {
    @Test("Every part says what it does", arguments: ["generate", "record", "show"])
    func help(part: String) async throws {
        let result = try await runLinkcond("trace", part, "--help")
        #expect(result.exitCode == 0)
        #expect(result.standardOutput.contains(try Regex("\n  (sudo )?linkcond trace \(part)")))
        try Golden("help-trace-\(part).txt").expect(result.standardOutput)
    }

    @Test("The same seed gives the same trace, and show tells what it is like")
    func generateAndShow() async throws {
        try await withTemporaryDirectory { directory in
            let generate = [
                "trace", "generate", "cellular", "--seed", "7", "--for", "20s", "--mean", "5Mbit/s",
            ]
            let binary = try BuiltProduct.path(of: "linkcond")
            let printed = try await runProcess(binary, generate, workingDirectory: directory.path)
            #expect(printed.exitCode == 0)
            #expect(printed.standardError == "")
            let written = try await runProcess(
                binary, generate + ["--output", "train.down"], workingDirectory: directory.path)
            #expect(written.exitCode == 0)
            let text = try String(contentsOfFile: directory.path + "/train.down", encoding: .utf8)
            #expect(text == printed.standardOutput)
            let again = try await runProcess(
                binary, generate + ["--output", "train.down"], workingDirectory: directory.path)
            #expect(again.exitCode == 73)
            #expect(again.standardError.contains("already exists; --force overwrites it"))

            let shown = try await runLinkcond(
                "trace", "show", "train.down", "--svg", "train.svg", in: directory)
            try Golden("trace-show.txt").expect(shown.standardOutput)
            let svg = try String(contentsOfFile: directory.path + "/train.svg", encoding: .utf8)
            #expect(svg.hasPrefix("<svg "))
            let json = try await runLinkcond("trace", "show", "train.down", "--json", in: directory)
            let numbers = try JSONDecoder().decode(
                Numbers.self, from: Data(json.standardOutput.utf8))
            #expect(numbers.periodSeconds == 20)
            #expect(numbers.bitsPerSecond.count == 200)
            #expect(numbers.opportunities == text.count { $0 == "\n" })
            let total = numbers.bitsPerSecond.reduce(0, +) / 10 / 12_000
            #expect(total == numbers.opportunities)
        }
    }

    private struct Numbers: Decodable {
        var periodSeconds: Double
        var opportunities: Int
        var bitsPerSecond: [Int]
    }

    @Test("A seed that was not given is told")
    func unknownSeed() async throws {
        let result = try await runLinkcond("trace", "generate", "satellite", "--for", "2s")
        #expect(result.exitCode == 0)
        #expect(result.standardError.contains(/seed [0-9]+\n/))
    }

    @Test("Standard output is -, and no file has that name")
    func standardOutput() async throws {
        try await withTemporaryDirectory { directory in
            let generate = ["trace", "generate", "constant", "--seed", "1", "--for", "1s"]
            let binary = try BuiltProduct.path(of: "linkcond")
            let run = { (arguments: [String]) in
                try await runProcess(binary, arguments, workingDirectory: directory.path)
            }
            let plain = try await run(generate)
            let named = try await run(generate + ["--output", "-"])
            #expect(named.exitCode == 0 && named.standardOutput == plain.standardOutput)
            #expect(named.standardError == "")
            try directory.write(plain.standardOutput, to: "trace")
            let plot = try await run(["trace", "show", "trace", "--svg", "-"])
            #expect(plot.exitCode == 0 && plot.standardOutput.hasPrefix("<svg "))
            #expect(plot.standardOutput.hasSuffix("</svg>\n"))

            for (arguments, message) in [
                (generate + ["--output", "-", "--force"], "--force goes with --output FILE."),
                (["trace", "show", "trace", "--svg", "-", "--json"], "would both print"),
                (["trace", "record", "-", "--for", "1s"], "cannot both be standard output"),
                (["matrix", "--report", "-", "--", "true"], "--json prints the report"),
            ] {
                let result = try await run(arguments)
                #expect(result.exitCode == 64, "\(result)")
                #expect(result.standardError.contains(message), "\(result)")
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(files == ["trace"])
        }
    }

    @Test("What is no trace, and what cannot be one")
    func bad() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("", to: "empty")
            try directory.write("5\n6\n\n4\n", to: "back")
            try directory.write("5\nsix\n", to: "word")
            try directory.write("0\n", to: "short")
            let huge = try directory.write("", to: "huge")
            let handle = try FileHandle(forWritingTo: URL(filePath: huge))
            try handle.truncate(atOffset: 1 << 30)
            try handle.close()
            let cases: [([String], Int32, String)] = [
                (["show", "missing"], 74, "linkcond: missing: no such file\n"),
                (["show", "."], 74, "linkcond: .: is a directory; name a file\n"),
                (["show", "/dev/null"], 74, "is not a file; linkcond trace show - reads"),
                (["show", "huge"], 78, "huge: is larger than 64 MiB"),
                (["show", "empty"], 78, "linkcond: empty: the trace is empty; "),
                (["show", "back"], 78, "linkcond: back: line 4: 4 ms comes after 6 ms; "),
                (["show", "word"], 78, "linkcond: word: line 2: \"six\" is not a moment; "),
                (["show", "short"], 78, "linkcond: short: line 1: the trace ends at 0 ms; "),
                (["show", "/etc/hostname"], 78, "linkcond: /etc/hostname: line 1: \""),
                (["show", "back", "--svg", "/proc/x"], 78, "line 4"),
                (["generate", "nice"], 64, "'cellular', 'satellite' or 'constant'"),
                (["generate", "constant", "--mean", "10"], 64, "has no unit"),
                (["generate", "constant", "--for", "5ms"], 64, "lasts a second at least"),
                (["generate", "constant", "--for", "292h"], 64, "a trace lasts a day at most"),
                (["generate", "constant", "--force"], 64, "--force goes with --output"),
                (["generate", "constant", "--mean", "1Tbit/s"], 64, "choose another --for"),
                (
                    ["generate", "constant", "--output", "/proc/x/y"], 73,
                    "/proc/x/y: cannot be written"
                ),
                (["record", ""], 64, "there is no name"),
                (["record", "x/"], 64, "there is no name"),
                (["record", "x", "--for", "0s"], 64, "longer than nothing"),
                (["record", "x", "-i", "nope", "--", "true"], 64, "nope: no such interface"),
            ]
            for (arguments, exitCode, message) in cases {
                let result = try await runProcess(
                    try BuiltProduct.path(of: "linkcond"), ["trace"] + arguments,
                    workingDirectory: directory.path)
                #expect(result.exitCode == exitCode, "\(arguments): \(result.standardError)")
                #expect(result.standardError.contains(message), "\(result.standardError)")
                #expect(result.standardOutput == "")
            }
        }
    }
}
