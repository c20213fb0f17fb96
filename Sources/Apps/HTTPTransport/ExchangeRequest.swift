/// An HTTP request, and how it is to be sent.
public struct ExchangeRequest: Sendable {
    /// A header field.
    public struct Header: Hashable, Sendable {
        /// The name, such as `Accept`.
        public var name: String
        /// The value; may be empty.
        public var value: String

        /// Names a field.
        public init(_ name: String, _ value: String) {
            (self.name, self.value) = (name, value)
        }
    }

    /// The body of a request.
    public enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// A file, which must keep its size until it is sent.
        case file(path: String)
    }

    /// The way out of this host.
    public enum Route: Hashable, Sendable {
        /// As the kernel's routes say.
        case system
        /// Through this interface alone (`SO_BINDTODEVICE`).
        case interface(String)
    }

    /// A name and a password.
    public struct Login: Hashable, Sendable {
        /// The name.
        public var user: String
        /// The password.
        public var password: String

        /// Names a user.
        public init(user: String, password: String) {
            (self.user, self.password) = (user, password)
        }
    }

    /// The files that TLS uses, in PEM format; nil for the system's or none.
    public struct Certificates: Hashable, Sendable {
        /// The authorities that are trusted instead of the system's.
        public var authorities: String?
        /// The client's certificate.
        public var client: String?
        /// The key of the client's certificate; nil if it is in the same file.
        public var key: String?
        /// The password of the key.
        public var password: String?

        /// The system's authorities, and no client certificate.
        public init() {}
    }

    /// The URL; `http` or `https`.
    public var url: String
    /// The method, such as `GET`.
    public var method = "GET"
    /// The header fields, in this order.
    public var headers: [Header] = []
    /// The body.
    public var body = Body.none
    /// The way out of this host.
    public var route = Route.system
    /// Whether its sockets are Multipath TCP, if the kernel has it.
    public var isMultipath = false
    /// The longest time without a byte; nil for no limit.
    public var idleLimit: Duration?
    /// Whether to ask for compressed bodies and to decode them.
    public var decodesBody = true
    /// Answers a challenge of HTTP Digest.
    public var digestLogin: Login?
    /// The certificates.
    public var certificates = Certificates()
    /// The most bytes of a response that are received and not yet passed on, in bytes; larger
    /// buffers need fewer system calls.
    public var receiveBuffer = 256 << 10
    /// The weight among the streams of an HTTP/2 connection, from 1 to 256.
    public var weight = 16

    /// A GET of `url`.
    public init(url: String) {
        self.url = url
    }
}
