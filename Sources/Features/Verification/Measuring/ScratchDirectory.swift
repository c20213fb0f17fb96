import FoundationEssentials
import LinkModel
import LinuxKernel

/// A directory in which processes of one command exchange files and only they may write.
///
/// It is locked while this process lives. So a later process recognises and removes directories
/// left by killed ones.
struct ScratchDirectory: ~Copyable {
    /// Its location.
    let url: URL
    private let lock: FileLock

    private static let attempts = 10

    /// Makes a directory whose name begins with `prefix`, and removes abandoned ones.
    init(prefix: String) throws(LinkFailure) {
        let parent = FileManager.default.temporaryDirectory
        Self.removeAbandoned(in: parent, prefix)
        for _ in 0..<Self.attempts {
            let url = parent.appending(path: prefix + UUID().uuidString)
            guard
                (try? FileManager.default.createDirectory(
                    at: url, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])) != nil
            else { break }
            // Before it was locked, another process may have considered it abandoned.
            guard let lock = FileLock(directory: url.path) else { continue }
            self.url = url
            self.lock = lock
            return
        }
        throw LinkFailure(
            "cannot make a directory in \(parent.path) for what is measured; have TMPDIR name a "
                + "directory where you may write", status: .cannotWrite)
    }

    private static func removeAbandoned(in parent: URL, _ prefix: String) {
        for name in SmallFile.names(in: parent.path) where name.hasPrefix(prefix) {
            let url = parent.appending(path: name)
            FileLock(directory: url.path)?.whileHeld { removeTree(url) }
        }
    }

    /// Removes it, even while processes that are about to be killed still write into it.
    func remove() {
        for _ in 0..<100 {
            Self.removeTree(url)
            guard FileManager.default.fileExists(atPath: url.path) else { return }
            _ = Readiness.wait(for: [], timeout: .milliseconds(20))
        }
    }

    /// Removes a directory whose subdirectories contain only files.
    ///
    /// It does not use Foundation's recursive removal, which relies on a directory's link count.
    /// Some file systems (hostfs) update that late while the directory is open, as it is here for
    /// its lock.
    private static func removeTree(_ url: URL) {
        for name in SmallFile.names(in: url.path) {
            try? FileManager.default.removeItem(at: url.appending(path: name))
        }
        try? FileManager.default.removeItem(at: url)
    }
}
