extension NWEndpoint {
    /// A TCP or UDP port.
    public struct Port: Hashable, Sendable, RawRepresentable, CustomDebugStringConvertible,
        ExpressibleByIntegerLiteral
    {
        /// The number.
        public let rawValue: UInt16

        /// The port with this number.
        public init?(rawValue: UInt16) { self.init(integerLiteral: rawValue) }

        /// The port with this number.
        public init(integerLiteral value: UInt16) { rawValue = value }

        /// Reads a number, or the name of one of the services below.
        public init?(_ service: String) {
            guard
                let port = UInt16(service).map(Port.init(integerLiteral:))
                    ?? Self.standard(service)
            else { return nil }
            self = port
        }

        /// A port that the system chooses.
        public static let any: Port = 0
        /// SSH.
        public static let ssh: Port = 22
        /// SMTP.
        public static let smtp: Port = 25
        /// HTTP.
        public static let http: Port = 80
        /// POP3.
        public static let pop: Port = 110
        /// IMAP.
        public static let imap: Port = 143
        /// HTTPS.
        public static let https: Port = 443
        /// IMAP over TLS.
        public static let imaps: Port = 993
        /// SOCKS.
        public static let socks: Port = 1080

        /// The number.
        public var debugDescription: String { "\(rawValue)" }

        /// The port of a service or of the scheme of a URL; nil if it is not known.
        static func standard(_ service: String) -> Port? {
            [
                "ssh": ssh, "smtp": smtp, "http": http, "ws": http, "pop3": pop, "imap": imap,
                "https": https, "wss": https, "imaps": imaps, "socks": socks,
            ][service.lowercased()]
        }
    }
}
