import AssetDownloads
import Foundation

/// The app: waits for its essential assets, shows how far they are, and fetches the rest.
struct AppProgram {
    private let words: CommandWords

    init(_ words: CommandWords) { self.words = words }

    func run() async throws -> Int32 {
        let store = try AssetStore(words.directory)
        if store.isReady {
            say("ready with version \(store.manifest?.version ?? ""), looking for another")
        }
        let lease = try await store.lease(as: "app", waiting: true, words)
        defer { lease.release() }
        let downloader = AssetDownloader(words, store, lease)
        return try await downloader.run(.launch, requested: words.requested) ? 0 : 1
    }
}

extension AssetStore {
    func lease(
        as role: String, waiting: Bool, _ words: CommandWords
    ) async throws -> AssetLease {
        try await lease(
            as: role, waiting: waiting,
            patience: words.seconds["--lease"].map { .seconds($0) } ?? AssetLease.patience)
    }
}

extension AssetDownloader {
    private static let week: TimeInterval = 7 * 24 * 60 * 60

    init(_ words: CommandWords, _ store: AssetStore, _ lease: AssetLease) {
        let progress = Progress()
        self.init(
            manifest: words.manifest, store: store, lease: lease,
            patience: words.seconds["--wait"] ?? Self.week
        ) { report in
            if let line = progress.line(for: report) { say(line) }
        }
    }
}
