import CCurl

/// Why an exchange failed.
public struct ExchangeFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Kind: Hashable, Sendable {
        /// The host's name is unknown, or no name server answers.
        case unknownHost
        /// No connection: refused, unreachable, or not allowed by `ExchangeEvents.mayConnect`.
        case cannotConnect
        /// Nothing came for longer than allowed.
        case timedOut
        /// The connection was cut.
        case connectionLost
        /// TLS failed.
        case insecure
        /// The server's certificate is not trusted.
        case untrustedServer
        /// The client's certificate is unusable or was rejected.
        case badClientCertificate
        /// It is no URL of HTTP.
        case badURL
        /// It is no response of HTTP.
        case badResponse
        /// The request's body cannot be read, or has become shorter.
        case unreadableBody
        /// It was cancelled, or an event's receiver ended it.
        case stopped
        /// Anything else.
        case other
    }

    /// The kind of failure.
    public let kind: Kind
    /// One sentence of libcurl's.
    public let description: String

    /// Describes a failure.
    public init(_ kind: Kind, _ description: String) {
        (self.kind, self.description) = (kind, description)
    }

    init(_ code: CURLcode, _ text: String) {
        self.init(Self.kinds[code.rawValue] ?? .other, text)
    }

    private static let kinds: [UInt32: Kind] = [
        CURLE_COULDNT_RESOLVE_HOST.rawValue: .unknownHost,
        CURLE_COULDNT_RESOLVE_PROXY.rawValue: .unknownHost,
        CURLE_COULDNT_CONNECT.rawValue: .cannotConnect,
        CURLE_INTERFACE_FAILED.rawValue: .cannotConnect,
        CURLE_OPERATION_TIMEDOUT.rawValue: .timedOut,
        CURLE_GOT_NOTHING.rawValue: .connectionLost,
        CURLE_SEND_ERROR.rawValue: .connectionLost,
        CURLE_RECV_ERROR.rawValue: .connectionLost,
        CURLE_PARTIAL_FILE.rawValue: .connectionLost,
        CURLE_HTTP2.rawValue: .connectionLost,
        CURLE_HTTP2_STREAM.rawValue: .connectionLost,
        CURLE_SSL_CONNECT_ERROR.rawValue: .insecure,
        CURLE_SSL_CACERT_BADFILE.rawValue: .insecure,
        CURLE_PEER_FAILED_VERIFICATION.rawValue: .untrustedServer,
        CURLE_SSL_CERTPROBLEM.rawValue: .badClientCertificate,
        CURLE_URL_MALFORMAT.rawValue: .badURL,
        CURLE_UNSUPPORTED_PROTOCOL.rawValue: .badURL,
        CURLE_WEIRD_SERVER_REPLY.rawValue: .badResponse,
        CURLE_BAD_CONTENT_ENCODING.rawValue: .badResponse,
        CURLE_READ_ERROR.rawValue: .unreadableBody,
        CURLE_WRITE_ERROR.rawValue: .stopped,
        CURLE_ABORTED_BY_CALLBACK.rawValue: .stopped,
    ]
}
