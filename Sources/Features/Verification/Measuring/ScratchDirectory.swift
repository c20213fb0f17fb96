import FoundationEssentials
import LinuxKernel

/// A directory for what processes of one command leave each other, where only they may write.
///
/// It is locked as long as this process lives. So the next one of its kind knows those that killed
/// processes have left, and removes them.
struct ScratchDirectory: ~Copyable {
    /// Where it is.
    let url: URL
    private let lock: FileLock

    private static let attempts = 10

    /// Makes one whose name begins with `prefix`, and removes those that were left behind.
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
            // Before it was locked, another process may have taken it for one that was left behind.
            guard let lock = FileLock(directory: url.path) else { continue }
            self.url = url
            self.lock = lock
            return
        }
        throw LinkFailure(
            "cannot make a directory in \(parent.path) for what is measured; have TMPDIR name a "
                + "directory where you may write", fault: .cannotWrite)
    }

    private static func removeAbandoned(in parent: URL, _ prefix: String) {
        for name in SmallFile.names(in: parent.path) where name.hasPrefix(prefix) {
            let url = parent.appending(path: name)
            guard let lock = FileLock(directory: url.path) else { continue }
            removeTree(url)
            withExtendedLifetime(lock) {}
        }
    }

    /// Removes it, though processes may still write into it that the kernel is about to end.
    func remove() {
        for _ in 0..<100 {
            Self.removeTree(url)
            guard FileManager.default.fileExists(atPath: url.path) else { return }
            _ = Readiness.wait(for: [], timeout: .milliseconds(20))
        }
    }

    /// Removes a directory whose own directories have only files.
    ///
    /// It does not leave that to one call: Foundation goes by the number of a directory's links,
    /// which some file systems (hostfs) tell too late as long as it is open, as here for its lock.
    private static func removeTree(_ url: URL) {
        for name in SmallFile.names(in: url.path) {
            try? FileManager.default.removeItem(at: url.appending(path: name))
        }
        try? FileManager.default.removeItem(at: url)
    }
}
