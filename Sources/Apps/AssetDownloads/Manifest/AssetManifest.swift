public import Foundation

/// What a server offers: the list of an app's assets.
///
/// ```json
/// { "format": 1, "version": "2.1", "assets": [
///     { "name": "level1.pack", "size": 1048576, "policy": "essential",
///       "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" } ] }
/// ```
///
/// It comes from the network: what is not as described is refused as a whole, and names that asset.
public struct AssetManifest: Hashable, Sendable {
    /// A file.
    public struct Asset: Hashable, Sendable, Codable {
        /// Its name beside the manifest and in the store, without directories.
        public var name: String
        /// Its size in bytes.
        public var size: Int64
        /// The SHA-256 of its content, as 64 hexadecimal digits in lower case.
        public var sha256: String
        /// When it is downloaded.
        public var policy: Policy
    }

    /// When an asset is downloaded. Equivalent to the download policies of Apple's asset packs.
    public enum Policy: String, Hashable, Sendable, Codable, CaseIterable {
        /// Before the first launch, over any network.
        case essential
        /// In the background, over networks that are neither expensive nor constrained.
        case prefetch
        /// When the app asks for it, over any network.
        case onDemand
    }

    /// The version of the content, for people.
    public var version: String
    /// The assets, in the order in which they are fetched.
    public var assets: [Asset]

    /// The most bytes of a manifest.
    public static let sizeLimit = 1 << 20
    /// The format that this library reads.
    static let format = 1
    /// The longest name, in bytes; the store adds to it.
    private static let nameLimit = 200

    /// Reads a manifest.
    public init(reading data: Data) throws(AssetError) {
        guard data.count <= Self.sizeLimit else {
            throw .badManifest("it has more than \(Self.sizeLimit) bytes")
        }
        let raw: Raw
        do {
            guard let format = try JSONDecoder().decode(Format.self, from: data).format else {
                throw AssetError.badManifest("it has no `format`")
            }
            guard format == Self.format else {
                throw AssetError.badManifest(
                    "it is of format \(format), and this program reads format \(Self.format); "
                        + "update the program")
            }
            raw = try JSONDecoder().decode(Raw.self, from: data)
        } catch let error as AssetError {
            throw error
        } catch {
            throw .badManifest(Self.reason(error))
        }
        version = raw.version ?? ""
        assets = []
        var names: Set<String> = []
        for (index, asset) in raw.assets.enumerated() {
            let asset = try Self.asset(asset, at: index)
            guard names.insert(asset.name).inserted else {
                throw .badManifest("it has \(asset.name) twice")
            }
            assets.append(asset)
        }
    }

    private struct Format: Decodable {
        var format: Int?
    }

    private struct Raw: Decodable {
        struct Asset: Decodable {
            var name: String
            var size: Int64
            var sha256: String
            var policy: String
        }
        var version: String?
        var assets: [Asset]
    }

    private static func asset(_ raw: Raw.Asset, at index: Int) throws(AssetError) -> Asset {
        guard isName(raw.name) else {
            throw .badManifest(
                "the name of asset \(index + 1), \(raw.name.debugDescription), is no plain file name"
            )
        }
        guard raw.size > 0 else {
            throw .badManifest("the size of \(raw.name) is \(raw.size), and must be at least 1")
        }
        let digest = raw.sha256.lowercased()
        guard digest.count == 64, digest.allSatisfy(\.isHexDigit), digest.utf8.count == 64 else {
            throw .badManifest("the sha256 of \(raw.name) does not have 64 hexadecimal digits")
        }
        guard let policy = Policy(rawValue: raw.policy) else {
            let known = Policy.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badManifest(
                "the policy of \(raw.name) is \(raw.policy.debugDescription), and not one of \(known)"
            )
        }
        return Asset(name: raw.name, size: raw.size, sha256: digest, policy: policy)
    }

    /// Whether a file of this name is in the store's directory, and not one of the store's own.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= nameLimit
            && !name.unicodeScalars.contains { $0 == "/" || $0.value < 0x20 || $0.value == 0x7f }
    }

    private static func reason(_ error: any Error) -> String {
        func place(_ path: [any CodingKey], _ key: (any CodingKey)? = nil) -> String {
            (path + (key.map { [$0] } ?? [])).map { part in
                part.intValue.map { "asset \($0 + 1)" } ?? "`\(part.stringValue)`"
            }.joined(separator: ", ")
        }
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            return "\(place(context.codingPath, key)) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return context.codingPath.isEmpty
                ? "it is no JSON object" : "\(place(context.codingPath)) is of the wrong type"
        // The decoder does not say which of them.
        default: return "it is not JSON, or a number in it is too large"
        }
    }
}
