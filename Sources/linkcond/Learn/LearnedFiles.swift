import FoundationEssentials
import SystemPackage
import UserCatalog

/// The files of a learned profile.
enum LearnedFiles {
    /// Checks before the measurement that no file would be overwritten.
    static func check(_ file: String, isForced: Bool) throws {
        guard !isForced else { return }
        let stem = file.hasSuffix(".yaml") ? String(file.dropLast(".yaml".count)) : file
        for name in [file, "\(stem).down", "\(stem).up"]
        where FileManager.default.fileExists(atPath: name) {
            throw FileAccessError(.writing, name, .fileExists)
        }
    }

    /// The date, as in `2026-11-25`.
    static var today: String { String(Date.now.ISO8601Format().prefix(10)) }
}
