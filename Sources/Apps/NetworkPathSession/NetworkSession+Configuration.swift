public import Foundation
public import FoundationNetworking

extension NetworkSession {
    /// How a session behaves. Equivalent to `URLSessionConfiguration`, with what that lacks on
    /// Linux; a value, so that changing it later does not reach into sessions made from it.
    public struct Configuration: Sendable {
        /// Whether tasks may use mobile networks. Equivalent to the property of the same name,
        /// which FoundationNetworking has but does not heed.
        public var allowsCellularAccess: Bool
        /// Whether tasks may use networks that cost money by volume. Equivalent to
        /// `URLSessionConfiguration.allowsExpensiveNetworkAccess`.
        public var allowsExpensiveNetworkAccess = true
        /// Whether tasks may use networks in Low Data Mode. Equivalent to
        /// `URLSessionConfiguration.allowsConstrainedNetworkAccess`.
        public var allowsConstrainedNetworkAccess = true
        /// Whether tasks wait where there is no network that they may use, instead of failing at
        /// once. Equivalent to `URLSessionConfiguration.waitsForConnectivity`, which cannot be set
        /// on Linux.
        public var waitsForConnectivity = false
        /// How long a task may go without a byte, in seconds; 60 unless set. It does not run while
        /// a task waits for connectivity, and begins anew with each byte. A request's own
        /// `timeoutInterval` goes before it. Part of a second counts as a whole one, `.infinity` as
        /// no limit, and what is no time (zero, less, not a number) as 60.
        public var timeoutIntervalForRequest: TimeInterval
        /// How long a task may take altogether, from `resume()` on and including the time in which
        /// it waits for connectivity, in seconds; 7 days unless set. `.infinity` is no limit; what
        /// is no time (zero, less, not a number) counts as 7 days.
        public var timeoutIntervalForResource: TimeInterval
        /// Where downloads are kept until the app moves them, and what was cut until it is
        /// resumed, which only a session with the same directory can do. Only a place on the same
        /// file system lets the app move them atomically. Apple has no such property.
        public var temporaryDirectory = FileManager.default.temporaryDirectory

        private let base: URLSessionConfiguration

        /// Takes everything that is not said here from `base`: headers, cookies, proxies, TLS.
        /// Later changes of `base` do not count; nor does its cache.
        public init(_ base: URLSessionConfiguration) {
            self.base = base.copy() as? URLSessionConfiguration ?? base
            allowsCellularAccess = base.allowsCellularAccess
            timeoutIntervalForRequest = base.timeoutIntervalForRequest
            timeoutIntervalForResource = base.timeoutIntervalForResource
        }

        /// Like `URLSessionConfiguration.default`.
        public static var `default`: Configuration { Configuration(.default) }

        /// Like `URLSessionConfiguration.ephemeral`: nothing is kept on disk but downloads.
        public static var ephemeral: Configuration { Configuration(.ephemeral) }

        /// Where credentials are that nobody has to be asked for.
        var urlCredentialStorage: URLCredentialStorage? { base.urlCredentialStorage }

        /// What FoundationNetworking makes of it.
        var urlSessionConfiguration: URLSessionConfiguration {
            let configuration = base.copy() as? URLSessionConfiguration ?? base
            configuration.timeoutIntervalForRequest = TimeLimit.wholeSeconds(
                timeoutIntervalForRequest)
            // FoundationNetworking crashes if a task is cancelled while it looks into the cache
            // ("a task that in not in the registry"), and keeps whole downloads in memory for it.
            configuration.urlCache = nil
            return configuration
        }
    }
}
