import AssetDownloads
import Dispatch
import Foundation

/// The extension: fetches in the background, leaves while the app works, and ends when asked to.
struct ExtensionProgram {
    private let words: CommandWords

    init(_ words: CommandWords) { self.words = words }

    func run() async throws -> Int32 {
        let store = try AssetStore(words.directory)
        let lease = try await store.lease(as: "extension", waiting: false, words)
        defer { lease.release() }
        let downloader = AssetDownloader(words, store, lease)
        let event = words.event ?? .periodic
        let work = Task { try await downloader.run(event) }
        let signal = Self.onTermination {
            say("asked to end: the parts stay for the next time")
            work.cancel()
        }
        defer { signal.cancel() }
        return try await work.value ? 0 : 1
    }

    private static func onTermination(_ body: @escaping @Sendable () -> Void)
        -> any DispatchSourceSignal
    {
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM)
        source.setEventHandler(handler: body)
        source.resume()
        return source
    }
}
