import Foundation
import FoundationNetworking

/// A download that was cut: what is known of it, and the part that is there.
struct ResumedDownload: Sendable {
    let data: ResumeData
    let file: PartialFile

    /// What a response is to somebody who has a part already.
    enum Answer: Hashable, Sendable {
        /// The rest, and nothing else.
        case rest(total: Int64?)
        /// The same version of the resource, from its beginning.
        case whole(total: Int64?)
        /// Another version of the resource, from its beginning.
        case newVersion
        /// No part that fits; the whole is to be asked for.
        case noSuchPart
        /// No answer to what was asked: an error, or a page of somebody in between.
        case somethingElse
    }
}

extension ResumeData {
    /// What `response` is. Only what surely is of this resource may touch what is there.
    ///
    /// - Parameter askedForRest: whether the request had a range.
    func answer(_ response: HTTPURLResponse, askedForRest: Bool) -> ResumedDownload.Answer {
        let version = Validator.version(of: response)
        switch response.statusCode {
        case 206 where askedForRest:
            let range = response.value(forHTTPHeaderField: "Content-Range").flatMap(
                ContentRange.init)
            guard let range, range.start == received, response.isVerbatim,
                total == nil || range.total == nil || range.total == total,
                version == nil || version == validator
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
            // A portal in between answers for every host, with a page.
            guard let version, version.isOfTheSameKind(as: validator),
                response.mediaType == mediaType
            else { return .somethingElse }
            return .newVersion
        default:
            return .somethingElse
        }
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
    /// Whether its bytes are those of the resource, not compressed ones.
    var isVerbatim: Bool {
        (value(forHTTPHeaderField: "Content-Encoding") ?? "identity") == "identity"
    }

    /// What kind of data it is, such as `text/html`.
    var mediaType: String? {
        value(forHTTPHeaderField: "Content-Type")?.split(separator: ";").first
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }
}
