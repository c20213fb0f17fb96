import Catalog
import Foundation
import LinkModel
import LinkTesting
import Testing

@Suite("Files that are no profiles", .tags(.unit))
struct ProfileFileTests {
    private let catalog = ProfileCatalog(directories: [])

    private func message(_ name: String) -> String? {
        let error = #expect(throws: CatalogError.self) { try catalog.entry(named: name) }
        return error?.description
    }

    @Test("A file that is missing")
    func missing() {
        let message = message("/no/such/file.yaml")
        #expect(
            message
                == "/no/such/file.yaml: no such file; linkcond list shows the profiles that need none"
        )
    }

    @Test("A directory", .timeLimit(.minutes(1)))
    func directory() async throws {
        try await withTemporaryDirectory { directory in
            #expect(message(directory.path) == "\(directory.path): is not a file; name a YAML file")
        }
    }

    @Test("A named pipe, which nobody writes to", .timeLimit(.minutes(1)))
    func namedPipe() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/pipe.yaml"
            let mkfifo = try await runProcess("mkfifo", [path])
            #expect(mkfifo.exitCode == 0)
            #expect(message(path) == "\(path): is not a file; name a YAML file")
            let (_, problems) = ProfileCatalog(directories: [directory.path]).all()
            #expect(problems.count == 1)
        }
    }

    @Test("A device that never ends", .timeLimit(.minutes(1)))
    func device() {
        #expect(message("/dev/zero") == "/dev/zero: is not a file; name a YAML file")
    }

    @Test("A file of 10 MB")
    func large() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write(Data(repeating: 0x20, count: 10_000_000), to: "a.yaml")
            #expect(message(path) == "\(path): is larger than 64 KiB, which no profile is")
        }
    }

    @Test("A file of exactly 64 KiB is read")
    func largest() async throws {
        try await withTemporaryDirectory { directory in
            let text = "name: A\n#" + String(repeating: "x", count: 65536 - 9)
            let path = try directory.write(text, to: "a.yaml")
            #expect(try catalog.entry(named: path).profile.name == "A")
        }
    }

    @Test(
        "Bytes that are no text",
        arguments: [
            Data([0x7f, 0x45, 0x4c, 0x46, 0x02, 0xff, 0xfe]), Data("name: A\0".utf8),
            Data("name: A".utf8.flatMap { [$0, 0] }), Data([0x6e, 0xc3, 0x28]),
        ])
    func binary(bytes: Data) async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write(bytes, to: "a.yaml")
            #expect(
                message(path) == "\(path): is not a text; a profile is a YAML text in UTF-8")
        }
    }

    @Test("An empty file")
    func empty() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("", to: "a.yaml")
            #expect(
                message(path)
                    == "\(path): is empty; the first line of a profile is \"name: ...\"")
        }
    }

    @Test("A link is followed, unless it leads nowhere or to itself", .timeLimit(.minutes(1)))
    func links() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("name: A\n", to: "a.yaml")
            let manager = FileManager.default
            let link = directory.path + "/link.yaml"
            try manager.createSymbolicLink(atPath: link, withDestinationPath: file)
            #expect(try catalog.entry(named: link).file == link)
            let lost = directory.path + "/lost.yaml"
            try manager.createSymbolicLink(atPath: lost, withDestinationPath: "/no/such/file")
            #expect(message(lost) == "\(lost): is a link that leads to no file")
            let loop = directory.path + "/loop.yaml"
            try manager.createSymbolicLink(atPath: loop, withDestinationPath: loop)
            #expect(message(loop) == "\(loop): is a link that leads to no file")
            // As in `linkcond show <(cat a.yaml)`.
            let pipe = Pipe()
            let end = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
            #expect(message(end)?.hasPrefix("\(end): is a pipe; ") == true)
        }
    }

    @Test("A file where a directory of profiles should be")
    func fileAsDirectory() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("name: A\n", to: "a.yaml")
            let (_, problems) = ProfileCatalog(directories: [path]).all()
            #expect(problems.map(\.description) == ["\(path): cannot be read: Not a directory"])
        }
    }

    @Test("The trace that a profile names is beside it, unless its path is absolute")
    func traces() async throws {
        try await withTemporaryDirectory { directory in
            for (name, expected) in [
                ("lte.trace", "\(directory.path)/lte.trace"),
                ("../a/b", "\(directory.path)/../a/b"), ("/a/b", "/a/b"),
            ] {
                let path = try directory.write(
                    "name: A\ndown: { trace: \(name) }\n", to: "a.yaml")
                let conditions = try catalog.entry(named: path).profile.conditions
                #expect(conditions.down.trace == expected)
                #expect(conditions.up.trace == nil)
            }
        }
    }
}
