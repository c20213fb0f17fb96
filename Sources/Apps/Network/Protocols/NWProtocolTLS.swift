/// TLS.
public enum NWProtocolTLS: NWProtocol {
    /// The identity of TLS.
    public static let definition = NWProtocolDefinition("tls")

    /// The settings of TLS. Unless they say otherwise, clients verify the server by the system's
    /// trust store.
    public final class Options: NWProtocolOptions {
        /// The settings, for the functions `sec_protocol_options_…`.
        public let securityProtocolOptions: sec_protocol_options_t

        /// Makes settings with the system's defaults.
        public init() { securityProtocolOptions = sec_protocol_options_t() }

        private init(_ values: sec_protocol_options_t.Values) {
            securityProtocolOptions = sec_protocol_options_t(values)
        }

        func copy() -> Options { Options(securityProtocolOptions.values) }
    }

    /// What is known of TLS in a connection.
    public final class Metadata: NWProtocolMetadata {
        /// What the protocol knows.
        public let securityProtocolMetadata = sec_protocol_metadata_t()

        init() {}
    }
}
