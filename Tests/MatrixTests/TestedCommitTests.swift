import Foundation
import LinkTesting
import Testing

@testable import Matrix

@Suite("Tested commit", .tags(.unit))
struct TestedCommitTests {
    private static let id = String(repeating: "ab", count: 20)
    private static let other = String(repeating: "cd", count: 20)

    private static func commit(
        _ files: [String: String], in directory: String = "", environment: [String: String] = [:]
    ) async throws -> String? {
        try await withTemporaryDirectory { root in
            for (name, text) in files {
                let parent = "\(root.path)/\(name)".split(separator: "/").dropLast()
                try FileManager.default.createDirectory(
                    atPath: "/" + parent.joined(separator: "/"), withIntermediateDirectories: true)
                try root.write(text, to: name)
            }
            return TestedCommit.current(in: root.path + directory, environment: environment)
        }
    }

    @Test func `it is that of the branch, loose or packed, or of none`() async throws {
        let head = "ref: refs/heads/main\n"
        #expect(
            try await Self.commit([".git/HEAD": head, ".git/refs/heads/main": Self.id + "\n"])
                == Self.id)
        #expect(
            try await Self.commit(
                [
                    ".git/HEAD": head,
                    ".git/packed-refs":
                        "# x\n\(Self.other) refs/heads/b\n\(Self.id) refs/heads/main\n",
                    "a/b": "",
                ], in: "/a") == Self.id)
        #expect(try await Self.commit([".git/HEAD": Self.id]) == Self.id)
    }

    @Test func `it is found from a work tree beside the repository`() async throws {
        #expect(
            try await Self.commit(
                [
                    "tree/.git": "gitdir: ../main/.git/worktrees/tree\n",
                    "main/.git/worktrees/tree/HEAD": "ref: refs/heads/topic\n",
                    "main/.git/worktrees/tree/commondir": "../..\n",
                    "main/.git/refs/heads/topic": Self.id,
                ], in: "/tree") == Self.id)
    }

    @Test func `a CI engine knows better, and nonsense is nothing`() async throws {
        #expect(
            try await Self.commit(
                [".git/HEAD": Self.id], environment: ["CI_COMMIT_SHA": Self.other])
                == Self.other)
        #expect(
            try await Self.commit([".git/HEAD": Self.id], environment: ["GIT_COMMIT": "; rm -rf /"])
                == Self.id)
        #expect(try await Self.commit([".git/HEAD": "../../etc/passwd"]) == nil)
    }
}
