public import Foundation
public import FoundationNetworking

extension NetworkSession {
    /// The configuration of a session. Equivalent to `URLSessionConfiguration`, plus what that
    /// lacks on Linux. It is a value, so later changes do not affect existing sessions.
    public struct Configuration: Sendable {
        /// Whether tasks may use mobile networks. Equivalent to the property of the same name,
        /// which FoundationNetworking has but ignores.
        public var allowsCellularAccess: Bool
        /// Whether tasks may use networks that cost money by volume. Equivalent to
        /// `URLSessionConfiguration.allowsExpensiveNetworkAccess`.
        public var allowsExpensiveNetworkAccess = true
        /// Whether tasks may use networks in Low Data Mode. Equivalent to
        /// `URLSessionConfiguration.allowsConstrainedNetworkAccess`.
        public var allowsConstrainedNetworkAccess = true
        /// Whether tasks wait for an allowed network instead of failing at once. Equivalent to
        /// `URLSessionConfiguration.waitsForConnectivity`, which cannot be set on Linux.
        public var waitsForConnectivity = false
        /// The longest time without a byte, in seconds; 60 by default. It does not run while a task
        /// waits for connectivity and restarts with each byte. A request's own `timeoutInterval`
        /// overrides it. Fractions of a second are rounded up, `.infinity` means no limit, and an
        /// invalid value (zero, negative, NaN) counts as 60.
        public var timeoutIntervalForRequest: TimeInterval
        /// The longest total time of a task, from `resume()`, including waiting for connectivity,
        /// in seconds; 7 days by default. `.infinity` means no limit; an invalid value (zero,
        /// negative, NaN) counts as 7 days.
        public var timeoutIntervalForResource: TimeInterval
        /// The directory for downloads until the app moves them, and for interrupted ones until
        /// they are resumed, which requires a session with the same directory. The app can move
        /// files atomically only within the same file system. Apple has no such property.
        public var temporaryDirectory = FileManager.default.temporaryDirectory

        private let base: URLSessionConfiguration

        /// Takes everything else from `base`: headers, cookies, proxies, TLS. Later changes of
        /// `base` have no effect; its cache is not used.
        public init(_ base: URLSessionConfiguration) {
            self.base = base.copy() as? URLSessionConfiguration ?? base
            allowsCellularAccess = base.allowsCellularAccess
            timeoutIntervalForRequest = base.timeoutIntervalForRequest
            timeoutIntervalForResource = base.timeoutIntervalForResource
        }

        /// Like `URLSessionConfiguration.default`.
        public static var `default`: Configuration { Configuration(.default) }

        /// Like `URLSessionConfiguration.ephemeral`: only downloads are stored on disk.
        public static var ephemeral: Configuration { Configuration(.ephemeral) }

        /// The storage of credentials used without asking the delegate.
        var urlCredentialStorage: URLCredentialStorage? { base.urlCredentialStorage }

        /// The equivalent for FoundationNetworking.
        var urlSessionConfiguration: URLSessionConfiguration {
            let configuration = base.copy() as? URLSessionConfiguration ?? base
            configuration.timeoutIntervalForRequest = TimeLimit.wholeSeconds(
                timeoutIntervalForRequest)
            // FoundationNetworking crashes if a task is cancelled during a cache lookup ("a task
            // that in not in the registry"), and keeps whole downloads in memory for the cache.
            configuration.urlCache = nil
            return configuration
        }
    }
}
