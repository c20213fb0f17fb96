import Foundation
import LinkTesting
import LinuxKernel
import SystemPackage
import Testing

@Suite("Files that somebody names", .tags(.anyKernel))
struct InputFileTests {
    @Test func `a regular file is read, with a link to it`() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("text", to: "file")
            let link = directory.path + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
            for path in [file, link] {
                #expect(try InputFile.read(path, limit: 4) == Array("text".utf8))
            }
            #expect(try InputFile.read("/proc/self/stat", limit: 4096).count > 10)
        }
    }

    @Test func `what has no end, or waits for somebody, is not`() async throws {
        try await withTemporaryDirectory { directory in
            try shell("mkfifo \(directory.path)/pipe; truncate -s 8G \(directory.path)/sparse")
            let cases: [(String, InputFileError)] = [
                ("pipe", .notRegular), ("", .directory),
                ("nothing", .unreadable(.noSuchFileOrDirectory)),
                ("sparse", .tooLarge(limit: 1000)),
            ]
            for (name, error) in cases {
                #expect(throws: error) {
                    try InputFile.read("\(directory.path)/\(name)", limit: 1000)
                }
            }
            for device in ["/dev/zero", "/dev/tty", "/dev/full"] {
                #expect(throws: InputFileError.notRegular) {
                    try InputFile.read(device, limit: 1000)
                }
            }
        }
    }
}

@Suite("Directories of others", .tags(.anyKernel))
struct ContainedDirectoryTests {
    /// A directory beside a secret, with links that lead there.
    private static func withDirectory(
        _ body: (ContainedDirectory, TemporaryDirectory) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { temporary in
            try temporary.write("secret", to: "outside/secret")
            try temporary.write("text", to: "inside/a/b/file")
            try shell(
                """
                cd \(temporary.path)/inside
                ln -s ../outside/secret link; ln -s ../outside away; ln -s a/b/file within
                ln -s "$PWD/../outside" a/away; mkfifo pipe
                """)
            try body(ContainedDirectory(temporary.path + "/inside"), temporary)
        }
    }

    @Test func `a file within is read, and nothing outside`() async throws {
        try await Self.withDirectory { directory, temporary in
            #expect(try directory.read("a/b/file", limit: 10) == Array("text".utf8))
            for path in [
                "link", "within", "away/secret", "a/away/secret", "../outside/secret", "a/../link",
                "/etc/passwd", "", ".", "a//b/file", "pipe", "a\0b", "a", "nothing",
                temporary.path + "/outside/secret",
            ] {
                #expect(throws: InputFileError.self, "\(path)") {
                    try directory.read(path, limit: 10)
                }
            }
            let listing = try directory.files(below: "a", limit: 100)
            #expect(listing.files.map(\.path) == ["a/away", "a/b/file"])
            #expect(listing.files.map(\.isRegular) == [false, true])
            #expect(listing.hidden.isEmpty)
        }
    }

    @Test func `what is not UTF-8 is told, and removed with the rest`() async throws {
        try await Self.withDirectory { directory, temporary in
            try shell(
                """
                cd \(temporary.path)/inside/a
                name=$(printf 'x\\377'); echo >"b/$name"; mkdir "$name"; echo >"$name/file"
                mkdir -m 0 closed
                """)
            let listing = try directory.files(below: "a", limit: 100)
            #expect(listing.files.map(\.path) == ["a/away", "a/b/file"])
            #expect(listing.hidden.map(\.path).sorted() == ["a/b/x\u{fffd}", "a/x\u{fffd}"])
            try directory.remove("a")
            #expect(!directory.has("a"))
        }
    }

    @Test func `a new file takes the place of a link, and what that leads to stays`() async throws {
        try await Self.withDirectory { directory, temporary in
            let file = try directory.create("link")
            _ = try file.closeAfter { try file.writeAll("new".utf8) }
            #expect(try directory.read("link", limit: 10) == Array("new".utf8))
            #expect(throws: (any Error).self) { try directory.create("away/new") }
            #expect(throws: (any Error).self) { try directory.makeDirectory("away") }
            try directory.remove("away")
            try directory.remove("a")
            let left = try FileManager.default.subpathsOfDirectory(atPath: temporary.path)
            #expect(
                left.sorted() == [
                    "inside", "inside/link", "inside/pipe", "inside/within", "outside",
                    "outside/secret",
                ])
            let secret = try String(
                contentsOfFile: temporary.path + "/outside/secret", encoding: .utf8)
            #expect(secret == "secret")
        }
    }
}
