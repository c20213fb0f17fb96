public import Foundation
import SystemPackage

/// The directory of an app's assets. A file that is in it is complete and has the right content.
///
/// Its own files are in `.assets`: the last manifest, the list of what it has installed, and the
/// directory of the process that works on it (`AssetLease`), with the parts of downloads. Files that
/// it has not installed are never changed.
public struct AssetStore: Sendable {
    /// Where the assets are.
    public let directory: URL
    /// Where the store's own files are.
    let own: URL
    private static let ownName = ".assets"
    private static let installedName = "installed.json"
    private static let manifestName = "manifest.json"

    /// Opens a store, and creates its directory if needed.
    public init(_ directory: URL) throws(AssetError) {
        self.directory = directory
        let own = directory.appending(path: Self.ownName)
        self.own = own
        try AssetError.at(directory.path) {
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        }
    }

    /// Takes the exclusive right to change the store, and what the former holder has left.
    ///
    /// - Parameters:
    ///   - role: What this process is, for messages of others.
    ///   - waiting: Whether to wait for another holder, rather than throw `.busy`.
    ///   - patience: How long another holder may be stopped.
    public func lease(
        as role: String, waiting: Bool, patience: Duration = AssetLease.patience
    ) async throws(AssetError) -> AssetLease {
        let lease = try await AssetLease.take(
            in: own, role: role, waiting: waiting, patience: patience)
        try PartialAssets(lease).inherit(from: own)
        return lease
    }

    /// Where an asset is, or will be.
    public func url(of name: String) -> URL { directory.appending(path: name) }

    /// The manifest of the last download; nil if there was none.
    public var manifest: AssetManifest? {
        (try? Data(contentsOf: own.appending(path: Self.manifestName)))
            .flatMap { try? AssetManifest(reading: $0) }
    }

    /// Whether all essential assets of the last manifest are there, so that the app can be launched
    /// without a network.
    public var isReady: Bool {
        guard let manifest else { return false }
        let installed = installed
        return manifest.assets.filter { $0.policy == .essential }.allSatisfy { asset in
            let entry = installed.entries[asset.name]
            return entry?.sha256 == asset.sha256
                && entry?.stamp == InstalledAssets.stamp(url(of: asset.name))
        }
    }

    /// The free space for this user, in bytes; nil if unknown.
    var freeSpace: Int64? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: directory.path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }

    // MARK: Reading

    var installed: InstalledAssets {
        (try? Data(contentsOf: own.appending(path: Self.installedName)))
            .flatMap { try? JSONDecoder().decode(InstalledAssets.self, from: $0) }
            ?? InstalledAssets()
    }

    /// Whether an asset is there with the content of the manifest. Reads the file only if it has
    /// changed since it was checked, and adopts files that happen to be right.
    ///
    /// - Throws: `.foreignFile` if something else is in its place that the store has not installed.
    func has(_ asset: AssetManifest.Asset, _ lease: AssetLease) throws(AssetError) -> Bool {
        let file = url(of: asset.name)
        let entry = installed.entries[asset.name]
        guard let stamp = InstalledAssets.stamp(file) else {
            guard (try? FilePath(file.path).stat(followTargetSymlink: false)) == nil else {
                throw .foreignFile(file.path)
            }
            return false
        }
        if let entry, entry.stamp == stamp { return entry.sha256 == asset.sha256 }
        guard try digest(of: file, lease) == asset.sha256 else {
            if entry == nil { throw .foreignFile(file.path) }
            return false
        }
        try record(asset, stamp: stamp, lease)
        return true
    }

    /// The SHA-256 of a file.
    func digest(of file: URL, _ lease: AssetLease) throws(AssetError) -> String? {
        try AssetError.at(file.path) {
            let descriptor = try FileDescriptor.open(
                FilePath(file.path), .readOnly, options: [.closeOnExec, .noFollow])
            defer { try? descriptor.close() }
            return try ContentDigest.ofFile(descriptor) { try lease.check() }
        }
    }

    // MARK: Writing

    /// Moves a complete file into its place at one stroke, if it has the right content.
    ///
    /// - Returns: false if the content is wrong.
    func install(
        _ file: URL, as asset: AssetManifest.Asset, _ lease: AssetLease
    ) throws(AssetError) -> Bool {
        guard try digest(of: file, lease) == asset.sha256 else { return false }
        let place = url(of: asset.name)
        // Somebody may have put a file there during the download.
        guard try !has(asset, lease) else { return true }
        try AssetError.at(file.path) { try Disk.synchronize(file) }
        // If this process ends before the next record, the file is checked again by its content.
        try record(asset, stamp: nil, lease)
        try lease.check()
        try AssetError.at(place.path) {
            try Disk.rename(file, to: place)
            try Disk.synchronize(directory)
        }
        try record(asset, stamp: InstalledAssets.stamp(place), lease)
        return true
    }

    /// Removes assets that the manifest has no more, unless they were changed by others.
    func removeAll(except names: Set<String>, _ lease: AssetLease) throws(AssetError) -> [String] {
        var installed = installed
        let outdated = installed.entries.keys.filter { !names.contains($0) }.sorted()
        guard !outdated.isEmpty else { return [] }
        var removed: [String] = []
        try lease.check()
        for name in outdated where AssetManifest.isName(name) {
            let file = url(of: name)
            if let stamp = InstalledAssets.stamp(file), installed.entries[name]?.stamp == stamp {
                try AssetError.at(file.path) { try FileManager.default.removeItem(at: file) }
                removed.append(name)
            }
        }
        for name in outdated { installed.entries[name] = nil }
        try write(installed, lease)
        return removed
    }

    /// Keeps the manifest for a launch without a network.
    func keep(manifest data: Data, _ lease: AssetLease) throws(AssetError) {
        try write(data, to: own.appending(path: Self.manifestName), lease)
    }

    private func record(
        _ asset: AssetManifest.Asset, stamp: String?, _ lease: AssetLease
    ) throws(AssetError) {
        var installed = installed
        installed.entries[asset.name] = .init(sha256: asset.sha256, stamp: stamp)
        try write(installed, lease)
    }

    private func write(_ installed: InstalledAssets, _ lease: AssetLease) throws(AssetError) {
        let data = try AssetError.at(own.path) { try JSONEncoder().encode(installed) }
        try write(data, to: own.appending(path: Self.installedName), lease)
    }

    private func write(_ data: Data, to file: URL, _ lease: AssetLease) throws(AssetError) {
        try lease.check()
        try AssetError.at(file.path) {
            try Disk.write(data, to: file, by: lease.directory)
        }
    }
}
