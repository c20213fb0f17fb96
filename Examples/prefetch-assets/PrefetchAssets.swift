import Foundation

/// Fetches the assets of an app before they are needed.
///
///     prefetch-assets app|helper MANIFEST-URL DIRECTORY [SECONDS]
///
/// What is essential comes first, over any network; the rest only while the network is neither
/// expensive nor constrained, for which it waits as long as SECONDS (unless given, a week).
/// Downloads that were cut are gone on with. `helper` is the background's turn: it fetches nothing
/// on a network that costs, and leaves at once (with 75) while the app, or another helper, is at it.
@main
enum PrefetchAssets {
    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        guard words.count == 3 || words.count == 4,
            let role = words.first.flatMap(Prefetcher.Role.init),
            let manifest = words.dropFirst().first.flatMap({ URL(string: $0) }),
            manifest.host != nil, let directory = words.dropFirst(2).first,
            let patience = Double(words.dropFirst(3).first ?? "604800")
        else {
            say("usage: prefetch-assets app|helper MANIFEST-URL DIRECTORY [SECONDS]")
            exit(64)
        }
        do {
            let store = try AssetStore(URL(filePath: directory))
            guard await store.lock(waiting: role == .app) else {
                say("another process is at it")
                exit(75)
            }
            store.removeRemains()
            let prefetcher = Prefetcher(
                role: role, manifest: manifest, store: store, patience: patience)
            exit(try await prefetcher.fetchAll() ? 0 : 1)
        } catch {
            say("\(error.localizedDescription)")
            exit(1)
        }
    }
}

func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}
