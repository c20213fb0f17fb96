import Foundation

/// The directory where assets are. An asset that is there is whole.
struct AssetStore: Sendable {
    /// Where downloads are until they are whole: on the same file system, so that they can be
    /// moved at one stroke.
    let incoming: URL
    private let directory: URL
    private let lockFile: FileHandle

    init(_ directory: URL) throws {
        self.directory = directory
        incoming = directory.appending(path: ".incoming")
        try FileManager.default.createDirectory(at: incoming, withIntermediateDirectories: true)
        let lock = directory.appending(path: ".lock")
        if !FileManager.default.fileExists(atPath: lock.path) {
            try Data().write(to: lock)
        }
        lockFile = try FileHandle(forUpdating: lock)
    }

    /// Makes sure that no other process is at it, until this one ends.
    func lock(waiting: Bool) async -> Bool {
        while flock(lockFile.fileDescriptor, LOCK_EX | LOCK_NB) != 0 {
            guard waiting else { return false }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return true
    }

    /// Removes what a process that was killed has left, and nobody can go on with.
    func removeRemains() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: incoming.path)) ?? []
        let kept = names.filter { $0.hasSuffix(".resume") }
            .compactMap { try? String(contentsOf: incoming.appending(path: $0), encoding: .utf8) }
        for name in names
        where name.hasSuffix(".partial") && !kept.contains(where: { $0.contains(name) }) {
            try? FileManager.default.removeItem(at: incoming.appending(path: name))
        }
    }

    /// Whether the asset is there.
    func has(_ asset: Manifest.Asset) -> Bool {
        size(of: directory.appending(path: asset.name)) == asset.size
    }

    /// Puts a download in its place at one stroke; false if it is not of the right size.
    func install(_ file: URL, as asset: Manifest.Asset) -> Bool {
        guard size(of: file) == asset.size else {
            try? FileManager.default.removeItem(at: file)
            return false
        }
        return unsafe rename(file.path, directory.appending(path: asset.name).path) == 0
    }

    /// What is needed to go on with a download; once.
    func takeResumeData(of asset: Manifest.Asset) -> Data? {
        let url = resumeURL(asset)
        defer { try? FileManager.default.removeItem(at: url) }
        return try? Data(contentsOf: url)
    }

    /// Keeps what is needed to go on with a download.
    func keep(resumeData: Data, of asset: Manifest.Asset) {
        try? resumeData.write(to: resumeURL(asset), options: .atomic)
    }

    private func resumeURL(_ asset: Manifest.Asset) -> URL {
        incoming.appending(path: asset.name + ".resume")
    }

    private func size(of file: URL) -> Int64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes?[.size] as? NSNumber)?.int64Value
    }
}
