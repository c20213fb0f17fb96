import Synchronization

/// UDP.
public enum NWProtocolUDP: NWProtocol {
    /// The identity of UDP.
    public static let definition = NWProtocolDefinition("udp")

    /// The settings of UDP.
    public final class Options: NWProtocolOptions {
        private let prefersNoChecksum = Mutex(false)

        /// Makes settings with the system's defaults.
        public init() {}

        /// Whether datagrams over IPv4 have no checksum. Has no effect.
        public var preferNoChecksum: Bool {
            get { prefersNoChecksum.withLock { $0 } }
            set { prefersNoChecksum.withLock { $0 = newValue } }
        }

        func copy() -> Options {
            let copy = Options()
            copy.preferNoChecksum = preferNoChecksum
            return copy
        }
    }

    /// What is known of UDP in a connection.
    public final class Metadata: NWProtocolMetadata {
        init() {}
    }
}
