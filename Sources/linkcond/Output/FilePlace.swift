import FoundationEssentials
import SystemPackage

/// Where a file that a user has named is, whichever way the name is written.
struct FilePlace: Hashable {
    private let path: FilePath

    /// - Parameter name: A path; a relative one begins at the current directory.
    init(_ name: String) {
        path = FilePath(FileManager.default.currentDirectoryPath).pushing(FilePath(name))
            .lexicallyNormalized()
    }
}
