extension NWConnection {
    /// How far a connection has come.
    public enum State: Equatable, Sendable {
        /// It has not been started.
        case setup
        /// It waits for another path, for this reason.
        case waiting(NWError)
        /// It connects.
        case preparing
        /// It sends and receives.
        case ready
        /// It has ended with an error.
        case failed(NWError)
        /// It was cancelled.
        case cancelled
    }

    /// What happens once content is sent.
    public enum SendCompletion: Sendable {
        /// Called once the kernel has accepted the content, or with an error.
        case contentProcessed(@Sendable (_ error: NWError?) -> Void)
        /// Nothing: the content may be sent several times.
        case idempotent
    }

    /// What belongs to a message besides its content.
    public final class ContentContext: Sendable {
        /// The name.
        public let identifier: String
        /// How long the content may wait; zero: as long as necessary. Has no effect.
        public let expirationMilliseconds: UInt64
        /// The priority among messages, 0.5 by default. Has no effect.
        public let relativePriority: Double
        /// Whether nothing is sent after it.
        public let isFinal: Bool
        /// The message that must be sent before it. Messages are sent in their order anyway.
        public let antecedent: ContentContext?
        /// What the protocols know of the message.
        public let protocolMetadata: [any NWProtocolMetadata]

        /// Describes a message.
        public init(
            identifier: String, expiration: UInt64 = 0, priority: Double = 0.5,
            isFinal: Bool = false, antecedent: ContentContext? = nil,
            metadata: [any NWProtocolMetadata]? = []
        ) {
            self.identifier = identifier
            expirationMilliseconds = expiration
            relativePriority = priority
            self.isFinal = isFinal
            self.antecedent = antecedent
            protocolMetadata = metadata ?? []
        }

        /// Any message. Of a stream, `isComplete` then means nothing.
        public static let defaultMessage = ContentContext(identifier: "Default Message")
        /// The last message: the stream ends with it.
        public static let finalMessage = ContentContext(
            identifier: "Final Message", isFinal: true)
        /// A part of a stream, which ends when `isComplete` says so.
        public static let defaultStream = ContentContext(
            identifier: "Default Stream", isFinal: true)
    }
}
