public import Foundation
public import FoundationNetworking

/// A request, with what `URLRequest` lacks on Linux: which networks it may use.
///
/// A task may use a network only if its session and its request both allow it, as on Apple's
/// platforms.
public struct NetworkRequest: Hashable, Sendable {
    /// The request itself.
    public var urlRequest: URLRequest
    /// Whether it may use networks that cost money by volume. Equivalent to
    /// `URLRequest.allowsExpensiveNetworkAccess`.
    public var allowsExpensiveNetworkAccess = true
    /// Whether it may use networks in Low Data Mode. Equivalent to
    /// `URLRequest.allowsConstrainedNetworkAccess`.
    public var allowsConstrainedNetworkAccess = true
    /// Whether it may use mobile networks. Equivalent to `URLRequest.allowsCellularAccess`, which
    /// FoundationNetworking has but does not heed.
    public var allowsCellularAccess: Bool {
        get { urlRequest.allowsCellularAccess }
        set { urlRequest.allowsCellularAccess = newValue }
    }

    /// A request that may use any network, unless `urlRequest` disallows mobile ones.
    public init(_ urlRequest: URLRequest) {
        self.urlRequest = urlRequest
    }

    /// A GET of `url` that may use any network.
    public init(url: URL) {
        self.init(URLRequest(url: url))
    }
}
