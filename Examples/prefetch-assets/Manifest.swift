import Foundation

/// What the server says there is to fetch: `{"assets": [{"name": "level1.pack", "size": 1048576,
/// "essential": true}]}`, each beside the manifest.
struct Manifest: Decodable {
    /// A file.
    struct Asset: Decodable, Sendable {
        /// Its name, without directories.
        var name: String
        /// Its size in bytes.
        var size: Int64
        /// Whether the app cannot do without.
        var essential: Bool

        /// Whether its name stays inside the directory.
        var isWellNamed: Bool {
            !name.isEmpty && !name.hasPrefix(".") && !name.contains("/")
        }
    }

    var assets: [Asset]
}
