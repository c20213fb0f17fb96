import Foundation
import SystemPackage

/// What the store has installed, as a file of its own says.
struct InstalledAssets: Codable, Hashable, Sendable {
    /// An installed file.
    struct Entry: Codable, Hashable, Sendable {
        var sha256: String
        /// The state of the file when its content was last checked; nil if it may not be in place.
        var stamp: String?
    }

    /// By name.
    var entries: [String: Entry] = [:]

    /// The state of a file that changes with its content, without reading it; nil if it is no
    /// regular file.
    static func stamp(_ file: URL) -> String? {
        guard let status = try? FilePath(file.path).stat(followTargetSymlink: false),
            status.type == .regular
        else { return nil }
        let time = status.st_mtim
        return "\(status.inode.rawValue) \(status.size) \(time.tv_sec).\(time.tv_nsec)"
    }
}
