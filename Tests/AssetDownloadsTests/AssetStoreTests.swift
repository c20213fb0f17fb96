import Foundation
import LinkTesting
import Testing

@testable import AssetDownloads

/// The store and its lease, within one process.
@Suite("Store of assets") struct AssetStoreTests {
    /// "abc" (FIPS 180-4).
    private static let abc = AssetManifest.Asset(
        name: "a", size: 3,
        sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        policy: .essential)

    private static func withStore(
        _ body: (AssetStore, AssetLease) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let store = try AssetStore(URL(filePath: directory.path))
            let lease = try await store.lease(as: "test", waiting: false)
            defer { lease.release() }
            try await body(store, lease)
        }
    }

    private static func write(_ text: String, _ name: String, _ lease: AssetLease) throws -> URL {
        let file = lease.directory.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file
    }

    @Test func `only the right content is installed`() async throws {
        try await Self.withStore { store, lease in
            let wrong = try Self.write("abd", "x", lease)
            #expect(try !store.install(wrong, as: Self.abc, lease))
            #expect(try !store.has(Self.abc, lease))
            #expect(try store.install(Self.write("abc", "x", lease), as: Self.abc, lease))
            #expect(try store.has(Self.abc, lease))
            #expect(try String(contentsOf: store.url(of: "a"), encoding: .utf8) == "abc")
        }
    }

    @Test func `an installed file that has changed is noticed, and replaced`() async throws {
        try await Self.withStore { store, lease in
            #expect(try store.install(Self.write("abc", "x", lease), as: Self.abc, lease))
            try Data("abd".utf8).write(to: store.url(of: "a"))
            #expect(try !store.has(Self.abc, lease))
            #expect(try store.install(Self.write("abc", "x", lease), as: Self.abc, lease))
            var newer = Self.abc
            newer.sha256 = String(repeating: "0", count: 64)
            #expect(try !store.has(newer, lease))
        }
    }

    @Test func `files of others are adopted if they are right, and otherwise left alone`()
        async throws
    {
        try await Self.withStore { store, lease in
            try Data("mine".utf8).write(to: store.url(of: "a"))
            #expect(throws: AssetError.foreignFile(store.url(of: "a").path)) {
                try store.install(Self.write("abc", "x", lease), as: Self.abc, lease)
            }
            #expect(try String(contentsOf: store.url(of: "a"), encoding: .utf8) == "mine")
            try FileManager.default.removeItem(at: store.url(of: "a"))
            try FileManager.default.createSymbolicLink(
                atPath: store.url(of: "a").path, withDestinationPath: "/etc/hostname")
            #expect(throws: AssetError.self) { try store.has(Self.abc, lease) }
            try FileManager.default.removeItem(at: store.url(of: "a"))
            try Data("abc".utf8).write(to: store.url(of: "a"))
            #expect(try store.has(Self.abc, lease))
        }
    }

    @Test func `of assets that the manifest has no more only our own are removed`() async throws {
        try await Self.withStore { store, lease in
            var other = Self.abc
            other.name = "b"
            for asset in [Self.abc, other] {
                #expect(try store.install(Self.write("abc", "x", lease), as: asset, lease))
            }
            try Data("changed".utf8).write(to: store.url(of: "b"))
            try Data("mine".utf8).write(to: store.url(of: "c"))
            #expect(try store.removeAll(except: [], lease) == ["a"])
            let left = try FileManager.default.contentsOfDirectory(atPath: store.directory.path)
            #expect(left.sorted() == [".assets", "b", "c"])
        }
    }

    @Test func `who has lost the lease cannot change anything`() async throws {
        try await Self.withStore { store, lease in
            let file = try Self.write("abc", "x", lease)
            // What another process does that takes over.
            let taken = store.own.appending(path: "work-2")
            try FileManager.default.moveItem(at: lease.directory, to: taken)
            #expect(throws: AssetError.leaseLost) {
                try store.keep(manifest: Data(), lease)
            }
            #expect(throws: AssetError.self) { try store.install(file, as: Self.abc, lease) }
            #expect(!lease.isValid && store.installed.entries.isEmpty)
        }
    }

    @Test func `records of other versions, and such as name other files, are worth nothing`()
        async throws
    {
        try await Self.withStore { store, lease in
            let parts = PartialAssets(lease)
            let part = try Self.write("ab", "NetworkSession-1.partial", lease)
            try parts.store(Self.abc, part: part, resumeData: Data())
            #expect(parts.size(of: Self.abc) == 2)
            let file = lease.directory.appending(path: "a.resume")
            let text = try String(contentsOf: file, encoding: .utf8)
            for (old, new) in [("\"format\":1", "\"format\":2"), ("NetworkSession-1", "../../x")] {
                try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: file)
                #expect(parts.record(of: Self.abc) == nil && parts.size(of: Self.abc) == 0)
            }
        }
    }
}
