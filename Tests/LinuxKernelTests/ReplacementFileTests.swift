import Foundation
import LinkTesting
import SystemPackage
import Testing

@testable import LinuxKernel

@Suite("Files that are replaced as a whole")
struct ReplacementFileTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test("New contents appear when they are written, and nothing else is left")
    func contents() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path + "/a"
            let new = try ReplacementFile(at: path, owner: nil)
            #expect(!FileManager.default.fileExists(atPath: path))
            try new.write("new")
            #expect(try text(path) == "new")
            let newer = try ReplacementFile(at: path, owner: nil)
            #expect(try text(path) == "new")
            try newer.write("newer")
            #expect(try text(path) == "newer")
            // One that is never written, as by a process that was killed.
            _ = try ReplacementFile(at: directory.path + "/b", owner: nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["a"])
        }
    }

    @Test("A file keeps its owner, its permissions, and the links to it")
    func replacement() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("old", to: "a")
            try shell("chmod 640 \(path); ln -s a \(directory.path)/link")
            try ReplacementFile(at: directory.path + "/link", owner: nil).write("new")
            #expect(try text(path) == "new")
            #expect(try shell("stat -c %a \(path)") == "640\n")
            #expect(try shell("readlink \(directory.path)/link") == "a\n")
            try shell("ln \(path) \(directory.path)/hard")
            try ReplacementFile(at: path, owner: nil).write("newer")
            #expect(try text(directory.path + "/hard") == "newer")
        }
    }

    @Test("One that is to be new does not replace what has appeared meanwhile")
    func newFile() async throws {
        try await withTemporaryDirectory { directory in
            let new = try ReplacementFile(at: directory.path + "/a", owner: nil)
            let path = try directory.write("another's", to: "a")
            #expect(throws: Errno.fileExists) { try new.write("new", asNew: true) }
            #expect(try text(path) == "another's")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["a"])
        }
    }

    @Test("Files in memory are replaced as a whole, though they are below /dev")
    func sharedMemory() throws {
        let path = "/dev/shm/linkcond-test-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try ReplacementFile(at: path, owner: nil).write("old")
        let reader = try #require(FileHandle(forReadingAtPath: path))
        try ReplacementFile(at: path, owner: nil).write("new")
        #expect(reader.readDataToEndOfFile() == Data("old".utf8))
        #expect(try text(path) == "new")
    }

    @Test("What is no ordinary file is written in place")
    func devices() async throws {
        try ReplacementFile(at: "/dev/null", owner: nil).write("x")
        #expect(throws: Errno.noSpace) {
            try ReplacementFile(at: "/dev/full", owner: nil).write("x")
        }
        #expect(throws: Errno.isDirectory) { try ReplacementFile(at: "/proc", owner: nil) }
        #expect(throws: Errno.noSuchFileOrDirectory) {
            try ReplacementFile(at: "/nowhere/a", owner: nil)
        }
    }
}
