public import Foundation
import FoundationNetworking
import NetworkPathSession

/// Downloads the assets of a manifest into a store.
///
/// Theory of operation. The manifest comes first. What the store lacks of it becomes a plan
/// (`AssetPlan`), by the event and the policies of the assets. Each download is a range request if
/// there is a part. Before its first byte, the part's file and a record with the server's version of
/// it are on disk, so a process that is killed loses at most the block in its hands: 64 KiB that it
/// has received and not yet written. A complete file is read again for its SHA-256, and moved into
/// place only if that is right. A part of an earlier download that leads to the wrong content is
/// thrown away, and the file is fetched once more; a fresh download with the wrong content is an
/// error.
public struct AssetDownloader: Sendable {
    /// What happens during a download, for progress.
    public enum Report: Hashable, Sendable {
        /// The manifest is there; so many bytes are to be fetched.
        case planned(version: String, urgent: Int64, later: Int64)
        /// So many bytes of an asset are there.
        case progress(name: String, received: Int64, size: Int64)
        /// An asset waits for a network that may be used for it.
        case waiting(name: String)
        /// An asset is in its place.
        case installed(name: String)
        /// An asset was removed, since the manifest has it no more.
        case removed(name: String)
        /// An asset could not be fetched; the others go on.
        case failed(name: String, AssetError)
    }

    private let manifestURL: URL
    private let store: AssetStore
    private let lease: AssetLease
    private let parts: PartialAssets
    /// How long to wait for a network that is neither expensive nor constrained, in seconds.
    private let patience: TimeInterval
    private let report: @Sendable (Report) -> Void
    /// How often an interrupted download is continued without any progress.
    private static let idleAttempts = 5
    private static let pause = Duration.milliseconds(200)

    /// - Parameters:
    ///   - manifest: The URL of the manifest; the assets are beside it.
    ///   - patience: How long to wait for a network that is neither expensive nor constrained, in
    ///     seconds.
    public init(
        manifest: URL, store: AssetStore, lease: AssetLease, patience: TimeInterval,
        report: @escaping @Sendable (Report) -> Void
    ) {
        (manifestURL, self.store, self.lease) = (manifest, store, lease)
        (parts, self.patience, self.report) = (PartialAssets(lease), patience, report)
    }

    /// Fetches what is to be fetched after an event.
    ///
    /// - Parameter requested: The names of assets on demand that the app asks for.
    /// - Returns: Whether all of them are there.
    /// - Throws: What concerns all assets: a bad manifest, no space, a lost lease.
    public func run(
        _ event: AssetEvent, requested: Set<String> = []
    ) async throws(AssetError) -> Bool {
        let data = try await fetchManifest(urgently: event != .periodic)
        let manifest = try AssetManifest(reading: data)
        if let unknown = requested.subtracting(manifest.assets.map(\.name)).min() {
            throw .unknownAsset(unknown)
        }
        parts.removeAll(except: manifest.assets)
        var missing: Set<String> = []
        var isComplete = true
        for asset in manifest.assets {
            do throws(AssetError) {
                if try !store.has(asset, lease) { missing.insert(asset.name) }
            } catch {
                guard case .foreignFile = error else { throw error }
                report(.failed(name: asset.name, error))
                isComplete = false
            }
        }
        let plan = AssetPlan(
            manifest, event: event, missing: missing,
            known: Set(store.installed.entries.keys), requested: requested)
        let urgent = plan.steps.filter(\.isUrgent)
        let later = plan.steps.filter { !$0.isUrgent }
        report(
            .planned(
                version: manifest.version,
                urgent: AssetPlan.neededSpace(urgent, partial: parts.size),
                later: AssetPlan.neededSpace(later, partial: parts.size)))
        try checkSpace(for: urgent)
        let urgentAreThere = try await fetchAll(urgent)
        // Only now: until here the app has what it had before.
        let mayAdopt = urgentAreThere && isComplete
        if mayAdopt, !later.contains(where: { $0.asset.policy == .essential }) {
            try adopt(manifest, data)
            return try await fetchAll(later)
        }
        guard try await fetchAll(later), mayAdopt else { return false }
        try adopt(manifest, data)
        return true
    }

    /// All essential assets of a manifest are there: it replaces the last one.
    private func adopt(_ manifest: AssetManifest, _ data: Data) throws(AssetError) {
        try store.keep(manifest: data, lease)
        let names = Set(manifest.assets.map(\.name))
        for name in try store.removeAll(except: names, lease) { report(.removed(name: name)) }
    }

    private func fetchAll(_ steps: [AssetPlan.Step]) async throws(AssetError) -> Bool {
        var isComplete = true
        for step in steps {
            do throws(AssetError) {
                try checkSpace(for: [step])
                try await fetch(step)
                report(.installed(name: step.asset.name))
            } catch {
                switch error {
                case .leaseLost, .noSpace: throw error
                default:
                    if Task.isCancelled { return false }
                    report(.failed(name: step.asset.name, error))
                    isComplete = false
                }
            }
        }
        return isComplete
    }

    private func checkSpace(for steps: [AssetPlan.Step]) throws(AssetError) {
        let needed = AssetPlan.neededSpace(steps, partial: parts.size)
        guard needed > 0, let available = store.freeSpace, available < needed else { return }
        throw .noSpace(directory: store.directory.path, needed: needed, available: available)
    }

    // MARK: One asset

    private func fetch(_ step: AssetPlan.Step) async throws(AssetError) {
        let (asset, session) = (step.asset, session(isUrgent: step.isUrgent))
        // The session also ends with what it waits for.
        defer { session.invalidateAndCancel() }
        var (idle, hasRestarted) = (0, false)
        while true {
            try lease.check()
            let before = parts.size(of: asset)
            do throws(AssetError) {
                let file = try await complete(asset, by: session)
                if try store.install(file, as: asset, lease) {
                    parts.remove(asset)
                    return
                }
                parts.remove(asset)
                try? FileManager.default.removeItem(at: file)
                // What was there may have been of another version.
                guard before > 0, !hasRestarted else {
                    throw AssetError.wrongContent(name: asset.name)
                }
                hasRestarted = true
            } catch {
                guard case .network(_, let code, _) = error, Self.mayContinue(code),
                    !Task.isCancelled
                else { throw error }
                if code == .cannotDecodeRawData { parts.remove(asset) }
                idle = parts.size(of: asset) > before ? 0 : idle + 1
                guard idle < Self.idleAttempts else { throw error }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Interrupted in mid-transfer, or the part is not usable. The session has waited for everything
    /// else.
    private static func mayContinue(_ code: URLError.Code) -> Bool {
        [.networkConnectionLost, .cannotDecodeRawData].contains(code)
    }

    /// The complete file of an asset, whose content is not checked yet.
    private func complete(
        _ asset: AssetManifest.Asset, by session: NetworkSession
    ) async throws(AssetError) -> URL {
        let (record, size) = (parts.record(of: asset), parts.size(of: asset))
        // The process was killed between the last byte and the check.
        if let record, size == asset.size { return parts.partFile(record) }
        if size > asset.size { parts.remove(asset) }
        let (parts, report) = (parts, report)
        let watch = DownloadWatch(
            asset.name, size: asset.size, limit: asset.size, lease,
            onFile: { try parts.store(asset, part: $0, resumeData: $1) },
            onWait: { report(.waiting(name: asset.name)) },
            onProgress: {
                report(.progress(name: asset.name, received: $0, size: asset.size))
            })
        let url = manifestURL.deletingLastPathComponent().appending(path: asset.name)
        let data = size > asset.size ? nil : record?.resumeData
        return try await download(asset.name, by: session, watch) {
            if let data { return try await session.download(resumeFrom: data, delegate: watch) }
            return try await session.download(for: NetworkRequest(url: url), delegate: watch)
        }
    }

    private func fetchManifest(urgently isUrgent: Bool) async throws(AssetError) -> Data {
        let (session, url, report) = (session(isUrgent: isUrgent), manifestURL, report)
        defer { session.invalidateAndCancel() }
        let watch = DownloadWatch(
            "manifest", size: nil, limit: Int64(AssetManifest.sizeLimit), lease,
            onWait: { report(.waiting(name: "manifest")) })
        let file: URL
        do {
            file = try await download("manifest", by: session, watch) {
                try await session.download(for: NetworkRequest(url: url), delegate: watch)
            }
        } catch .wrongSize {
            throw .badManifest("it has more than \(AssetManifest.sizeLimit) bytes")
        }
        defer { try? FileManager.default.removeItem(at: file) }
        return try AssetError.at(file.path) { try Data(contentsOf: file) }
    }

    /// Runs the only download of a session. When the caller is cancelled it ends, and keeps its part.
    private func download(
        _ name: String, by session: NetworkSession, _ watch: DownloadWatch,
        _ body: @escaping @Sendable () async throws -> (URL, URLResponse)
    ) async throws(AssetError) -> URL {
        // Not a child of the caller: to be cancelled would discard the part.
        let work = Task { try await body() }
        let result = await withTaskCancellationHandler {
            await work.result
        } onCancel: {
            session.finishTasksAndInvalidate()
            Task {
                for task in await session.allTasks { _ = await task.cancelByProducingResumeData() }
            }
        }
        switch result {
        case .success((let file, let response)):
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            guard watch.error == nil, [200, 206].contains(status) else {
                try? FileManager.default.removeItem(at: file)
                throw watch.error ?? .status(status, name: name)
            }
            return file
        case .failure(let error):
            let code = (error as? URLError)?.code ?? .unknown
            throw watch.error ?? .network(name: name, code, error.localizedDescription)
        }
    }

    private func session(isUrgent: Bool) -> NetworkSession {
        var configuration = NetworkSession.Configuration.ephemeral
        configuration.allowsExpensiveNetworkAccess = isUrgent
        configuration.allowsConstrainedNetworkAccess = isUrgent
        configuration.waitsForConnectivity = true
        // What began on a mobile network leaves it when there is Wi-Fi.
        configuration.movesDownloadsToBetterPath = true
        if !isUrgent { configuration.timeoutIntervalForResource = patience }
        configuration.temporaryDirectory = lease.directory
        return NetworkSession(configuration: configuration)
    }
}
