import Synchronization

/// The Internet Protocol.
public enum NWProtocolIP: NWProtocol {
    /// The identity of IP.
    public static let definition = NWProtocolDefinition("ip")

    /// The settings of IP.
    public final class Options: NWProtocolOptions {
        /// A version of IP.
        public enum Version: Hashable, Sendable {
            /// Either version.
            case any
            /// IPv4 only.
            case v4
            /// IPv6 only.
            case v6
        }

        struct Values: Hashable {
            var version = Version.any
            var hopLimit: UInt8 = 0
        }

        private let state = Mutex(Values())

        init() {}

        /// The permitted version.
        public var version: Version {
            get { values.version }
            set { state.withLock { $0.version = newValue } }
        }
        /// The hop limit, or time to live; zero is the system's default.
        public var hopLimit: UInt8 {
            get { values.hopLimit }
            set { state.withLock { $0.hopLimit = newValue } }
        }

        var values: Values { state.withLock { $0 } }

        func copy() -> Options {
            let (copy, values) = (Options(), values)
            copy.state.withLock { $0 = values }
            return copy
        }
    }
}
