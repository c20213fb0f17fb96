import Foundation
import FoundationNetworking
import NetworkPathSession

/// Fetches what the manifest names.
struct Prefetcher {
    /// On whose behalf.
    enum Role: String {
        /// The app, whose user waits for what is essential.
        case app
        /// Nobody who waits.
        case helper
    }

    let role: Role
    let manifest: URL
    let store: AssetStore
    /// How long to wait for a network that costs nothing, in seconds.
    let patience: TimeInterval
    /// How often a download that was cut is gone on with.
    private static let attempts = 10

    /// Fetches everything; false if something is missing.
    func fetchAll() async throws -> Bool {
        let urgent = session(anyNetwork: role == .app)
        let (data, _) = try await urgent.data(from: manifest)
        let assets = try JSONDecoder().decode(Manifest.self, from: data).assets
            .filter(\.isWellNamed)
        var isComplete = true
        for asset in assets where asset.essential {
            isComplete = await fetch(asset, by: urgent) && isComplete
        }
        let leisurely = session(anyNetwork: false)
        for asset in assets where !asset.essential {
            isComplete = await fetch(asset, by: leisurely) && isComplete
        }
        return isComplete
    }

    private func session(anyNetwork: Bool) -> NetworkSession {
        var configuration = NetworkSession.Configuration.ephemeral
        configuration.allowsExpensiveNetworkAccess = anyNetwork
        configuration.allowsConstrainedNetworkAccess = anyNetwork
        configuration.waitsForConnectivity = true
        // What began on a mobile network leaves it when there is Wi-Fi.
        configuration.movesDownloadsToBetterPath = true
        if !anyNetwork { configuration.timeoutIntervalForResource = patience }
        configuration.temporaryDirectory = store.incoming
        return NetworkSession(configuration: configuration)
    }

    private func fetch(_ asset: Manifest.Asset, by session: NetworkSession) async -> Bool {
        guard !store.has(asset) else { return true }
        let url = manifest.deletingLastPathComponent().appending(path: asset.name)
        for _ in 1...Self.attempts {
            do throws(URLError) {
                let (file, response) =
                    if let data = store.takeResumeData(of: asset) {
                        try await session.download(resumeFrom: data)
                    } else {
                        try await session.download(for: NetworkRequest(url: url))
                    }
                let status = (response as? HTTPURLResponse)?.statusCode ?? 0
                guard [200, 206].contains(status), store.install(file, as: asset) else {
                    try? FileManager.default.removeItem(at: file)
                    say("\(asset.name): not what the manifest says (status \(status))")
                    return false
                }
                say("\(asset.name): there")
                return true
            } catch {
                if let data = error.downloadTaskResumeData {
                    store.keep(resumeData: data, of: asset)
                }
                say("\(asset.name): \(error.localizedDescription)")
                // Cut in mid-transfer, or the part is not to be gone on with; everything else was
                // waited for already.
                guard [.networkConnectionLost, .cannotDecodeRawData].contains(error.code) else {
                    return false
                }
            }
        }
        return false
    }
}
