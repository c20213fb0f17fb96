public import FoundationEssentials
public import LinkModel
public import LinuxKernel

/// A directory for the processes of one command, where others may not write.
///
/// It is locked while this process lives. So a later process recognises and removes directories
/// left by killed ones.
public final class ScratchDirectory {
    /// Its location.
    public let url: URL
    private let lock: FileLock

    private static let attempts = 10

    /// Makes a directory whose name begins with `prefix`, and removes abandoned ones.
    ///
    /// - Parameter owner: Who may write there; nil: the caller.
    public init(prefix: String, owner: Program.Identity? = nil) throws(ScratchFailure) {
        let parent = FileManager.default.temporaryDirectory
        Self.removeAbandoned(in: parent, prefix)
        for _ in 0..<Self.attempts {
            let name = prefix + UUID().uuidString
            let url = parent.appending(path: name)
            guard
                (try? FileManager.default.createDirectory(
                    at: url, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])) != nil
            else { break }
            // Before it was locked, another process may have considered it abandoned.
            guard let lock = FileLock(directory: url.path) else { continue }
            if let owner {
                try? ContainedDirectory(parent.path)
                    .changeOwner(name, user: owner.user, group: owner.group)
            }
            self.url = url
            self.lock = lock
            return
        }
        throw ScratchFailure(parent: parent.path)
    }

    private static func removeAbandoned(in parent: URL, _ prefix: String) {
        for name in SmallFile.names(in: parent.path) where name.hasPrefix(prefix) {
            let url = parent.appending(path: name)
            FileLock(directory: url.path)?.whileHeld { removeTree(url) }
        }
    }

    /// Removes it, even while processes that are about to be killed still write into it.
    public func remove() {
        for _ in 0..<100 {
            Self.removeTree(url)
            guard FileManager.default.fileExists(atPath: url.path) else { return }
            _ = Readiness.wait(for: [], timeout: .milliseconds(20))
        }
    }

    /// Removes a directory with all its content, and follows no links in it.
    ///
    /// Foundation's recursive removal relies on a directory's link count. Some file systems (hostfs)
    /// update that late while the directory is open, as it is here for its lock.
    private static func removeTree(_ url: URL) {
        try? ContainedDirectory(url.deletingLastPathComponent().path).remove(url.lastPathComponent)
    }
}

/// No scratch directory could be made.
public struct ScratchFailure: ErrorWithExitStatus, Sendable, CustomStringConvertible {
    /// Where it was to be.
    let parent: String

    /// That something cannot be written.
    public var status: ExitStatus { .cannotWrite }

    /// One sentence with the remedy.
    public var description: String {
        "cannot make a directory for temporary files in \(parent); have TMPDIR name a directory where "
            + "you may write"
    }
}
