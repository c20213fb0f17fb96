import Foundation
import FoundationNetworking

/// The data needed to resume an interrupted download. To apps its JSON is opaque.
struct ResumeData: Hashable, Codable, Sendable {
    /// How the server identifies a version of the resource.
    enum Validator: Hashable, Codable, Sendable {
        /// A strong entity tag.
        case entityTag(String)
        /// The modification time.
        case lastModified(String)

        /// The value for `If-Range`.
        var text: String {
            switch self {
            case .entityTag(let text), .lastModified(let text): text
            }
        }
    }

    /// The version of this format; nil in data that is older than the number.
    var format: Int? = ResumeData.currentFormat
    var url: URL
    var headers: [String: String]
    /// The request's own; nil for the session's.
    var timeoutInterval: TimeInterval?
    var allowsCellularAccess: Bool?
    var allowsExpensiveNetworkAccess: Bool?
    var allowsConstrainedNetworkAccess: Bool?
    /// The name of the file with the received part. Its directory is the session's.
    var partial: String
    /// The valid bytes in the file.
    var received: Int64
    /// The total size in bytes, if known.
    var total: Int64?
    /// The media type, if known.
    var mediaType: String?
    var validator: Validator
    /// Whether the file may have grown since, and all of it counts.
    var isOfGrowingFile: Bool?

    /// The request for the whole resource.
    var request: NetworkRequest {
        var request = NetworkRequest(url: url)
        request.urlRequest.allHTTPHeaderFields = headers
        if let timeoutInterval { request.urlRequest.timeoutInterval = timeoutInterval }
        request.allowsCellularAccess = allowsCellularAccess
        request.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
        request.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
        return request
    }
}

extension ResumeData {
    /// The version that this library writes and reads.
    static let currentFormat = 1

    private struct Version: Decodable {
        var format: Int?
    }

    /// Decodes data that an app has kept.
    ///
    /// It was on disk, where others may have written it: anything that a session would not have
    /// written is rejected.
    init(reading data: Data) throws(URLError) {
        let format = (try? JSONDecoder().decode(Version.self, from: data))?.format
        guard (format ?? Self.currentFormat) == Self.currentFormat else {
            throw URLError(
                .cannotDecodeRawData,
                "The resume data is of version \(format ?? 0), and this is version "
                    + "\(Self.currentFormat); start the download again.")
        }
        guard let read = try? JSONDecoder().decode(ResumeData.self, from: data), read.isPlausible
        else {
            throw URLError(.cannotDecodeRawData, "This is no resume data of a NetworkSession.")
        }
        self = read
    }

    private var isPlausible: Bool {
        let texts = [validator.text] + headers.flatMap { [$0.key, $0.value] }
        return ["http", "https"].contains(url.scheme?.lowercased()) && url.host != nil
            && (received > 0 || received == 0 && isOfGrowingFile == true)
            && received <= total ?? .max
            // Nothing that could end a header line and start another.
            && !texts.contains { $0.unicodeScalars.contains { ["\r", "\n", "\0"].contains($0) } }
    }
}

extension ResumeData.Validator {
    /// The resume data for `response`; nil if its parts cannot be requested safely.
    init?(_ response: HTTPURLResponse) {
        guard response.value(forHTTPHeaderField: "Accept-Ranges") != "none",
            let version = Self.version(of: response)
        else { return nil }
        self = version
    }

    /// The version of the resource in `response`; nil if it is not byte-exact.
    ///
    /// Parts are only joined if the server promises that they belong to the same version: weak tags
    /// do not (RFC 9110, section 13.1.5), and offsets of data compressed in transit do not match.
    static func version(of response: HTTPURLResponse) -> Self? {
        guard [200, 206].contains(response.statusCode), response.isVerbatim else { return nil }
        if let tag = response.value(forHTTPHeaderField: "ETag"), tag.hasPrefix("\"") {
            return .entityTag(tag)
        }
        return response.value(forHTTPHeaderField: "Last-Modified").map(Self.lastModified)
    }
}

/// A parsed `Content-Range` (RFC 9110, section 14.4): `bytes 5-9/10`.
struct ContentRange: Hashable, Sendable {
    /// The offset of the first byte.
    let start: Int64
    /// The total size; nil if unknown.
    let total: Int64?

    init?(_ text: String) {
        guard let match = text.wholeMatch(of: /bytes ([0-9]+)-([0-9]+)\/([0-9]+|\*)/),
            let start = Int64(match.1), let end = Int64(match.2), start <= end
        else { return nil }
        self.start = start
        total = Int64(match.3)
        if let total, end >= total { return nil }
    }
}
