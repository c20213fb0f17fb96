import Synchronization

/// TCP.
public enum NWProtocolTCP: NWProtocol {
    /// The identity of TCP.
    public static let definition = NWProtocolDefinition("tcp")

    /// The settings of TCP. Times are in seconds; zero is the system's default.
    public final class Options: NWProtocolOptions {
        struct Values: Hashable {
            var noDelay = false
            var enableKeepalive = false
            var keepaliveIdle = 0
            var keepaliveInterval = 0
            var keepaliveCount = 0
            var connectionTimeout = 0
            var connectionDropTime = 0
            var maximumSegmentSize = 0
            var enableFastOpen = false
        }

        private let state = Mutex(Values())

        /// Makes settings with the system's defaults.
        public init() {}

        /// Whether small segments are sent at once, without Nagle's algorithm.
        public var noDelay: Bool {
            get { values.noDelay }
            set { state.withLock { $0.noDelay = newValue } }
        }
        /// Whether an idle connection is probed.
        public var enableKeepalive: Bool {
            get { values.enableKeepalive }
            set { state.withLock { $0.enableKeepalive = newValue } }
        }
        /// How long a connection is idle before it is probed.
        public var keepaliveIdle: Int {
            get { values.keepaliveIdle }
            set { state.withLock { $0.keepaliveIdle = newValue } }
        }
        /// The time between two probes.
        public var keepaliveInterval: Int {
            get { values.keepaliveInterval }
            set { state.withLock { $0.keepaliveInterval = newValue } }
        }
        /// How many probes remain unanswered before the connection fails.
        public var keepaliveCount: Int {
            get { values.keepaliveCount }
            set { state.withLock { $0.keepaliveCount = newValue } }
        }
        /// How long it may take to connect.
        public var connectionTimeout: Int {
            get { values.connectionTimeout }
            set { state.withLock { $0.connectionTimeout = newValue } }
        }
        /// How long data may remain unacknowledged before the connection fails.
        public var connectionDropTime: Int {
            get { values.connectionDropTime }
            set { state.withLock { $0.connectionDropTime = newValue } }
        }
        /// The size of the largest segment; zero: what the interface permits.
        public var maximumSegmentSize: Int {
            get { values.maximumSegmentSize }
            set { state.withLock { $0.maximumSegmentSize = newValue } }
        }
        /// Whether data may be sent with the first packet. Has no effect.
        public var enableFastOpen: Bool {
            get { values.enableFastOpen }
            set { state.withLock { $0.enableFastOpen = newValue } }
        }

        var values: Values { state.withLock { $0 } }

        func copy() -> Options {
            let (copy, values) = (Options(), values)
            copy.state.withLock { $0 = values }
            return copy
        }
    }

    /// What is known of TCP in a connection.
    public final class Metadata: NWProtocolMetadata {
        init() {}
    }
}
