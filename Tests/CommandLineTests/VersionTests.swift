import Foundation
import LinkTesting
import Testing

@Suite("The version", .tags(.unit))
struct VersionTests {
    @Test("It is that of the file VERSION, for every verb", arguments: [[], ["matrix", "merge"]])
    func version(verb: [String]) async throws {
        let file = "\(BuiltProduct.packageDirectory)/VERSION"
        let number = try String(contentsOfFile: file, encoding: .utf8).dropLast()
        let result = try await runProcess(
            BuiltProduct.path(of: "linkcond"), verb + ["--version"])
        #expect(result.exitCode == 0)
        let line = try Regex(
            "linkcond \(number) \\((commit [0-9a-f]+(-dirty)?, )?Swift [0-9.]+\\)\n")
        #expect(try line.wholeMatch(in: result.standardOutput) != nil, "\(result)")
    }

    /// Writes the version of the sources in a directory, which `prepare` has filled.
    private static func stamp(_ prepare: String) async throws -> String {
        try await withTemporaryDirectory { directory in
            let result = try await runProcess(
                "/bin/sh",
                [
                    "-ec",
                    """
                    mkdir "it's here" && cd "it's here" && echo 1.2.3-rc.1 >VERSION
                    git() { command git -c user.name=a -c user.email=a@b -c init.defaultBranch=b "$@"; }
                    printf '#!/bin/sh\\necho "Swift version 6.9 (release)"' >compiler
                    chmod +x compiler
                    \(prepare)
                    cd / && "$1" "$2/it's here" "$2/it's here/compiler" "$2/stamp"
                    cat "$2/stamp"
                    """, "sh", "\(BuiltProduct.packageDirectory)/Scripts/lib/stamp-version",
                    directory.path,
                ], workingDirectory: directory.path)
            #expect(result.exitCode == 0, "\(result)")
            return result.standardOutput
        }
    }

    @Test func `sources without Git have no commit, not even that of a repository around them`()
        async throws
    {
        let alone = #"number: "1.2.3-rc.1", commit: nil, swift: "6.9")"#
        #expect(try await Self.stamp("").contains(alone))
        let around = "git init -q .. && git -C .. commit -q --allow-empty -m other"
        #expect(try await Self.stamp(around).contains(alone))
    }

    @Test func `sources in Git have their commit, and whether they differ from it`() async throws {
        let committed = "git init -q . && git add VERSION && git commit -qm one && git tag v9"
        let clean = try await Self.stamp(committed)
        #expect(clean.contains(/commit: "[0-9a-f]{12}", swift/), "\(clean)")
        let changed = try await Self.stamp(committed + " && echo 2 >VERSION")
        #expect(changed.contains(/commit: "[0-9a-f]{12}-dirty", swift/), "\(changed)")
        let other = committed + " && chown -R 12345 . 2>/dev/null || true"
        #expect(try await Self.stamp(other).contains(/commit: "[0-9a-f]{12}"/))
    }
}
