import Foundation
import FoundationNetworking

/// An interrupted download: its resume data and the received part.
struct ResumedDownload: Sendable {
    let data: ResumeData
    let file: PartialFile

    /// What a response means for a resumed download.
    enum Answer: Hashable, Sendable {
        /// Exactly the rest.
        case rest(total: Int64?)
        /// The same version of the resource, from its beginning.
        case whole(total: Int64?)
        /// Another version of the resource, from its beginning.
        case newVersion
        /// No matching part; the whole must be requested.
        case noSuchPart
        /// Not an answer to the request: an error, or a page from something in between.
        case somethingElse
    }
}

extension ResumeData {
    /// Classifies `response`. Only a response that is certainly for this resource may touch the
    /// existing part.
    ///
    /// - Parameter askedForRest: Whether the request had a range.
    func answer(_ response: HTTPURLResponse, askedForRest: Bool) -> ResumedDownload.Answer {
        let version = Validator.version(of: response)
        switch response.statusCode {
        case 206 where askedForRest:
            let range = response.value(forHTTPHeaderField: "Content-Range").flatMap(
                ContentRange.init)
            guard let range, range.start == received, response.isVerbatim,
                total == nil || range.total == nil || range.total == total,
                isProof(version)
            else { return .noSuchPart }
            return .rest(total: range.total ?? total)
        case 416 where askedForRest:
            return .noSuchPart
        case 200:
            let size = response.expectedContentLength
            if version == validator {
                guard size < 0 || size >= received && (total == nil || size == total) else {
                    return .somethingElse
                }
                return .whole(total: size < 0 ? total : size)
            }
            // A captive portal answers for every host with its own page.
            guard let version, version.isOfTheSameKind(as: validator),
                response.mediaType == mediaType
            else { return .somethingElse }
            return .newVersion
        default:
            return .somethingElse
        }
    }
}

extension ResumeData {
    /// Whether a part of this version belongs to the existing one. A part has the entity tag that
    /// the whole has (RFC 9110, section 15.3.7); its time of change may be missing.
    private func isProof(_ version: Validator?) -> Bool {
        if case .entityTag = validator { return version == validator }
        return version == nil || version == validator
    }
}

extension ResumeData.Validator {
    fileprivate func isOfTheSameKind(as other: Self) -> Bool {
        switch (self, other) {
        case (.entityTag, .entityTag), (.lastModified, .lastModified): true
        case (.entityTag, .lastModified), (.lastModified, .entityTag): false
        }
    }
}

extension HTTPURLResponse {
    /// Whether its bytes are those of the resource, not compressed.
    var isVerbatim: Bool {
        (value(forHTTPHeaderField: "Content-Encoding") ?? "identity") == "identity"
    }

    /// The media type, such as `text/html`.
    var mediaType: String? {
        value(forHTTPHeaderField: "Content-Type")?.split(separator: ";").first
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }
}
