public import Foundation
public import FoundationNetworking

/// A request, with what `URLRequest` lacks on Linux: which networks it may use.
///
/// What is set here goes before what the session's configuration says, whether it allows more or
/// less, as on Apple's platforms; nil, which everything is unless set, leaves it to the session.
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
    /// FoundationNetworking has but does not heed.
    public var allowsCellularAccess: Bool?

    /// A request that may use the networks that its session may, but none that is mobile if
    /// `urlRequest` disallows those.
    public init(_ urlRequest: URLRequest) {
        self.urlRequest = urlRequest
        allowsCellularAccess = urlRequest.allowsCellularAccess ? nil : false
    }

    /// A GET of `url`, by the networks that its session may use.
    public init(url: URL) {
        self.init(URLRequest(url: url))
    }
}
