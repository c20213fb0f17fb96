import Foundation
import LinkTesting
import SystemPackage
import Testing

@testable import LinuxKernel

@Suite("State directory", .tags(.anyKernel))
struct StateDirectoryTests {
    private static func permissions(_ path: String) -> UInt32? {
        FileStatus(ofFileAt: path)?.permissions
    }

    @Test("The first directory that can be written to is taken, and made if needed")
    func choice() async throws {
        try await withTemporaryDirectory { base in
            try base.write("", to: "file")
            let directory = try StateDirectory(
                firstOf: [base.path + "/file/x", base.path + "/a/b"])
            #expect(directory.path == base.path + "/a/b")
            try directory.write("x/y", Array("1".utf8))
            #expect(directory.read("x/y") == Array("1".utf8))
            #expect(directory.names(in: "x") == ["y"])
            directory.remove("x/y")
            #expect(directory.read("x/y") == nil)
            #expect(directory.names(in: "nowhere").isEmpty)
        }
    }

    @Test("Where none can be written to, the error names them all")
    func noChoice() async throws {
        try await withTemporaryDirectory { base in
            try base.write("", to: "file")
            let error = #expect(throws: KernelError.self) {
                try StateDirectory(firstOf: [base.path + "/file/x", base.path + "/file/y"])
            }
            #expect(error?.operation == .create)
            #expect(error?.subject == "\(base.path)/file/x or \(base.path)/file/y")
        }
    }

    @Test("Nobody else can open the directory or a file in it, whatever was there before")
    func privacy() async throws {
        try await withTemporaryDirectory { base in
            // As an older version made it.
            let path = base.path + "/state"
            try base.write("old", to: "state/lock")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: path)
            let directory = try StateDirectory(firstOf: [path])
            #expect(Self.permissions(path) == 0o700)
            let lock = try directory.lock("lock")
            #expect(Self.permissions(path + "/lock") == 0o600)
            withExtendedLifetime(lock) {}
            try directory.write("journal/7", [1])
            #expect(Self.permissions(path + "/journal/7") == 0o600)
        }
    }

    @Test("A symbolic link is neither followed nor taken for a directory")
    func links() async throws {
        try await withTemporaryDirectory { base in
            try base.write("theirs", to: "victim")
            let directory = try StateDirectory(firstOf: [base.path + "/state"])
            try FileManager.default.createSymbolicLink(
                atPath: directory.path(of: "lock"),
                withDestinationPath: base.path + "/victim")
            _ = try directory.lock("lock")
            #expect(try String(contentsOfFile: base.path + "/victim", encoding: .utf8) == "theirs")
            try FileManager.default.createSymbolicLink(
                atPath: base.path + "/link", withDestinationPath: directory.path)
            #expect(throws: KernelError.self) { try StateDirectory(firstOf: [base.path + "/link"]) }
        }
    }

    @Test("A directory of somebody else's is not used", .requiresNamespaces)
    func strangers() async throws {
        try await withTemporaryDirectory { base in
            let path = base.path + "/state"
            _ = try StateDirectory(firstOf: [path])
            try shell("chown 65534 \(path)")
            let error = #expect(throws: KernelError.self) { try StateDirectory(firstOf: [path]) }
            #expect(error?.subject.contains("which belongs to another user") == true)
            #expect(Self.permissions(path) == 0o700)
        }
    }

    @Test("What was written in part is removed, and the rest is whole or not there")
    func partialFiles() async throws {
        try await withTemporaryDirectory { base in
            let directory = try StateDirectory(firstOf: [base.path + "/state"])
            try directory.write("a", [1])
            try base.write("half", to: "state/b.partial")
            directory.removePartialFiles(in: "")
            #expect(directory.names() == ["a"])
        }
    }
}
