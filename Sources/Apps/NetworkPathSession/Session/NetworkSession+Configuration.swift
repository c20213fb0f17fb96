public import Foundation
public import FoundationNetworking
import HTTPTransport

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

        /// How connections use several networks at the same time. Equivalent to
        /// `URLSessionConfiguration.multipathServiceType`.
        public var multipathServiceType = MultipathServiceType.none
        /// Whether downloads move to a better network by a range request when there is one, such as
        /// from a mobile network to Wi-Fi. Apple has no such property.
        public var movesDownloadsToBetterPath = false
        /// The files of TLS; nil for the system's authorities and no client certificate. Apple's
        /// platforms have authentication challenges for both.
        public var tlsFiles: TLSFiles?
        /// How many connections one host gets at the same time. Equivalent to the property of the
        /// same name of `URLSessionConfiguration`.
        public var httpMaximumConnectionsPerHost: Int

        private let base: URLSessionConfiguration

        /// The files of TLS, in PEM format.
        public struct TLSFiles: Hashable, Sendable {
            /// The authorities that are trusted instead of the system's.
            public var authorities: URL?
            /// The certificate that this client shows.
            public var clientCertificate: URL?
            /// The key of the client's certificate; nil if it is in the same file.
            public var clientKey: URL?
            /// The password of the key.
            public var clientKeyPassword: String?

            /// The system's authorities, and no client certificate.
            public init() {}
        }

        /// Takes headers, cookies and credentials from `base` as well. Later changes of `base` have
        /// no effect; its cache, its protocol classes and its proxies are not used. Proxies are
        /// those of the environment (`https_proxy`, `no_proxy`).
        public init(_ base: URLSessionConfiguration) {
            self.base = base.copy() as? URLSessionConfiguration ?? base
            allowsCellularAccess = base.allowsCellularAccess
            timeoutIntervalForRequest = base.timeoutIntervalForRequest
            timeoutIntervalForResource = base.timeoutIntervalForResource
            httpMaximumConnectionsPerHost = base.httpMaximumConnectionsPerHost
        }

        /// Like `URLSessionConfiguration.default`.
        public static var `default`: Configuration { Configuration(.default) }

        /// Like `URLSessionConfiguration.ephemeral`: only downloads are stored on disk.
        public static var ephemeral: Configuration { Configuration(.ephemeral) }

        /// The storage of credentials used without asking the delegate.
        var urlCredentialStorage: URLCredentialStorage? { base.urlCredentialStorage }

        /// The headers of every request.
        var additionalHeaders: [(String, String)] {
            (base.httpAdditionalHeaders ?? [:]).map { ("\($0.key)", "\($0.value)") }
        }

        /// The value of `Cookie` for a request; nil for none.
        func cookies(for url: URL) -> String? {
            guard base.httpShouldSetCookies,
                let cookies = base.httpCookieStorage?.cookies(for: url), !cookies.isEmpty
            else { return nil }
            return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
        }

        /// Keeps the cookies of a response.
        func keepCookies(of response: HTTPURLResponse) {
            guard base.httpCookieAcceptPolicy != .never, let storage = base.httpCookieStorage,
                let url = response.url,
                let value = response.value(forHTTPHeaderField: "Set-Cookie")
            else { return }
            let cookies = HTTPCookie.cookies(
                withResponseHeaderFields: ["Set-Cookie": value], for: url)
            storage.setCookies(cookies, for: url, mainDocumentURL: nil)
        }

        /// The files for TLS.
        var certificates: ExchangeRequest.Certificates {
            var certificates = ExchangeRequest.Certificates()
            // FoundationNetworking reads this variable.
            let variable = ProcessInfo.processInfo
                .environment["URLSessionCertificateAuthorityInfoFile"]
            certificates.authorities = tlsFiles?.authorities?.path ?? variable
            certificates.client = tlsFiles?.clientCertificate?.path
            certificates.key = tlsFiles?.clientKey?.path
            certificates.password = tlsFiles?.clientKeyPassword
            return certificates
        }
    }
}
