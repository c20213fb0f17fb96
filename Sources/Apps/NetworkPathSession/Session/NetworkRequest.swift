public import Foundation
public import FoundationNetworking

/// A request with what `URLRequest` lacks on Linux: the networks that it may use.
///
/// As on Apple's platforms, values set here override the session's configuration, whether they
/// allow more or less. The default, nil, leaves the decision to the session.
public struct NetworkRequest: Hashable, Sendable {
    /// The request itself.
    public var urlRequest: URLRequest
    /// Whether it may use networks that cost money by volume. Equivalent to
    /// `URLRequest.allowsExpensiveNetworkAccess`.
    public var allowsExpensiveNetworkAccess: Bool?
    /// Whether it may use networks in Low Data Mode. Equivalent to
    /// `URLRequest.allowsConstrainedNetworkAccess`.
    public var allowsConstrainedNetworkAccess: Bool?
    /// Whether it may use mobile networks. Equivalent to `URLRequest.allowsCellularAccess`, which
    /// FoundationNetworking has but ignores.
    public var allowsCellularAccess: Bool?

    /// A request that may use the networks that its session allows, except mobile networks if
    /// `urlRequest` disallows them.
    public init(_ urlRequest: URLRequest) {
        self.urlRequest = urlRequest
        allowsCellularAccess = urlRequest.allowsCellularAccess ? nil : false
    }

    /// A GET of `url` over the networks that its session allows.
    public init(url: URL) {
        self.init(URLRequest(url: url))
    }
}
