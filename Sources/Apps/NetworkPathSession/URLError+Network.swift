public import Foundation

extension URLError {
    /// Why an existing network may not be used. Equivalent to the enumeration of the same name on
    /// Apple's platforms, with the same raw values.
    public enum NetworkUnavailableReason: Int, Hashable, Sendable {
        /// It is a mobile network, and `allowsCellularAccess` is false.
        case cellular = 0
        /// It costs money by volume, and `allowsExpensiveNetworkAccess` is false.
        case expensive = 1
        /// It is in Low Data Mode, and `allowsConstrainedNetworkAccess` is false.
        case constrained = 2
    }

    /// Why the network may not be used; nil if the error has another cause. If there are several
    /// reasons, it is the first in the order of the cases.
    public var networkUnavailableReason: NetworkUnavailableReason? {
        (userInfo[Self.reasonKey] as? Int).flatMap(NetworkUnavailableReason.init)
    }

    /// The resume data for `NetworkSession.downloadTask(withResumeData:)`; nil if the download
    /// cannot be resumed. Equivalent to the property of the same name on Apple's platforms.
    public var downloadTaskResumeData: Data? {
        userInfo[Self.resumeDataKey] as? Data
    }

    // The keys of Apple's platforms.
    private static let reasonKey = "NSURLErrorNetworkUnavailableReasonKey"
    private static let resumeDataKey = "NSURLSessionDownloadTaskResumeData"

    /// Makes an error with its details.
    init(
        _ code: Code, _ text: String, url: URL? = nil, reason: NetworkUnavailableReason? = nil,
        resumeData: Data? = nil
    ) {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: text]
        userInfo[NSURLErrorFailingURLErrorKey] = url
        userInfo[Self.reasonKey] = reason?.rawValue
        userInfo[Self.resumeDataKey] = resumeData
        self.init(code, userInfo: userInfo)
    }

    /// The same error with another code or more details.
    func with(
        _ newCode: Code? = nil, resumeData: Data? = nil, url: URL? = nil
    ) -> URLError {
        var userInfo = userInfo
        if let url { userInfo[NSURLErrorFailingURLErrorKey] = url }
        if let resumeData { userInfo[Self.resumeDataKey] = resumeData }
        return URLError(newCode ?? code, userInfo: userInfo)
    }

    /// The error for a network that exists but is prohibited.
    static func prohibited(
        _ reason: NetworkUnavailableReason, code: Code = .notConnectedToInternet, url: URL?
    ) -> URLError {
        let cause =
            switch reason {
            case .cellular: "is a mobile network"
            case .expensive: "is expensive"
            case .constrained: "is in Low Data Mode"
            }
        return URLError(
            code, "The network \(cause), which the request does not allow.", url: url,
            reason: reason)
    }

    /// Whether the cause may be a missing network, provided that no connection was made.
    var mayBeMissingConnectivity: Bool {
        switch code {
        case .cannotConnectToHost, .cannotFindHost, .timedOut, .networkConnectionLost,
            .notConnectedToInternet:
            true
        default: false
        }
    }
}
