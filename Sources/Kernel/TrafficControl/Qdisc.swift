public import LinkUnits

/// A queueing discipline (qdisc) at its position.
public struct Qdisc: Sendable, Hashable {
    /// The kind of a qdisc.
    public enum Kind: Sendable, Hashable {
        case netem(Netem)
        case tokenBucket(TokenBucket)
        /// Bands in strict priority order; all packets go to the first unless a filter says
        /// otherwise.
        case priority(bands: UInt16)
        /// Classes with rates; unclassified packets go to the class with this minor number.
        case hierarchicalTokenBucket(defaultClass: UInt16)
        case activeQueue(ActiveQueue)
        /// The hook for filters in both directions, which queues nothing.
        case classifierActions
        /// The older hook for filters on arriving packets only.
        case ingress
        /// Any other kind, by the kernel's name.
        case other(String)
    }

    /// The interface it is attached to.
    public var interface: Interface
    /// Its handle; zero for the kernel's default.
    public var handle: QdiscHandle
    /// Its parent.
    public var parent: QdiscHandle
    /// Its kind.
    public var kind: Kind

    /// Makes a qdisc.
    public init(interface: Interface, handle: QdiscHandle, parent: QdiscHandle, kind: Kind) {
        self.interface = interface
        self.handle = handle
        self.parent = parent
        self.kind = kind
    }

    /// The hook for filters in both directions of `interface`.
    public static func clsact(on interface: Interface) -> Qdisc {
        Qdisc(
            interface: interface, handle: QdiscHandle(major: 0xffff), parent: .clsact,
            kind: .classifierActions)
    }
}

/// A token bucket filter. With a rate that never limits, it still splits super-packets (GSO) into
/// packets no longer than its burst.
public struct TokenBucket: Sendable, Hashable {
    /// The rate at which tokens arrive.
    public var rate: Bandwidth
    /// The bucket's size, and the longest packet that passes.
    public var burst: ByteCount
    /// The queue limit of the child that it creates.
    public var limit: ByteCount

    /// Makes a bucket.
    public init(rate: Bandwidth, burst: ByteCount, limit: ByteCount) {
        self.rate = rate
        self.burst = burst
        self.limit = limit
    }
}

/// A queue with active queue management (AQM).
public struct ActiveQueue: Sendable, Hashable {
    /// The algorithm, by the kernel's name.
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        case codel
        case fqCodel = "fq_codel"
        case pie
    }

    /// The algorithm, with its standard parameters.
    public var algorithm: Algorithm
    /// The longest queue in packets.
    public var limit: UInt32
    /// Whether it marks packets instead of dropping them, if their senders support that (ECN).
    public var marks: Bool

    /// Makes a queue.
    public init(algorithm: Algorithm, limit: UInt32, marks: Bool) {
        self.algorithm = algorithm
        self.limit = limit
        self.marks = marks
    }
}

extension Qdisc.Kind {
    /// The kernel's name for the kind.
    public var name: String {
        switch self {
        case .netem: "netem"
        case .tokenBucket: "tbf"
        case .priority: "prio"
        case .hierarchicalTokenBucket: "htb"
        case .activeQueue(let queue): queue.algorithm.rawValue
        case .classifierActions: "clsact"
        case .ingress: "ingress"
        case .other(let name): name
        }
    }

    /// Name and options as tc reads them.
    var tcText: String {
        switch self {
        case .netem(let netem): "netem \(netem.tcText)"
        case .tokenBucket(let bucket):
            "tbf rate \(bucket.rate.keptTcText) burst \(bucket.burst.bytes) limit \(bucket.limit.bytes)"
        case .priority(let bands):
            "prio bands \(bands) priomap" + String(repeating: " 0", count: 16)
        case .hierarchicalTokenBucket(let defaultClass):
            "htb default \(String(defaultClass, radix: 16))"
        case .activeQueue(let queue):
            "\(queue.algorithm.rawValue) limit \(queue.limit) \(queue.marks ? "ecn" : "noecn")"
        case .classifierActions, .ingress, .other: name
        }
    }
}
