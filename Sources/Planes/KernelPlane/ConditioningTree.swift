import LinkModel
import LinkUnits
import TrafficControl

/// The qdiscs, classes and filters that carry out the conditions of one direction on its ifb.
///
/// The standard tree has separate qdiscs for the delay line and the bottleneck queue, so that each
/// has its own limit. netem also counts the packets of its children, hence this order:
///
///     segmenter (tbf) ─ delay line (netem) ─ bottleneck (netem, rate) ─ tail (netem: loss, jitter)
///                                                 └ with DNS delay: prio ─┬ tail
///                                                                         └ tail + DNS delay
///
/// The segmenter splits super-packets, since netem would drop, delay and count them as one. Loss
/// comes after the bottleneck: a lost packet has used its bandwidth. The tree has another shape if
/// it may contain only one netem (duplication) or if the queue uses AQM (which needs a shaper that
/// does not hide the queue from its child).
struct ConditioningTree: Hashable {
    var qdiscs: [Qdisc]
    var classes: [TrafficClass] = []
    var filters: [Filter] = []
}

extension ConditioningTree {
    /// Plans the tree for `conditions` on `ifb`.
    ///
    /// `dnsDelay` affects packets to port 53 and so belongs to the up direction. Qdiscs of an `old`
    /// tree that the conditions no longer need stay, without effect, while they hold packets.
    init(
        _ conditions: DirectionConditions, dnsDelay: Duration?, on ifb: Interface,
        target: ConditionedLink, replacing old: ConditioningTree? = nil
    ) throws(UnsupportedConditions) {
        guard conditions.trace == nil else {
            throw UnsupportedConditions("delivery traces", "no qdisc plays a trace")
        }
        guard conditions.mtu == nil else {
            throw UnsupportedConditions(
                "an MTU of the link", "no qdisc cuts or answers packets that are too large")
        }
        if let jitter = conditions.jitter, jitter.amount > Self.longestJitter {
            throw UnsupportedConditions(
                "a jitter of \(jitter.amount.unitText)",
                "netem's ends at \(Self.longestJitter.unitText)")
        }
        let parts = TreeParts(conditions, dnsDelay: dnsDelay, on: ifb, target: target)
        if conditions.aqm != .dropTail {
            guard dnsDelay == nil else {
                throw UnsupportedConditions(
                    "an AQM together with a DNS delay",
                    "no qdisc can stand behind one that manages its queue")
            }
            qdiscs = [parts.segmenter, parts.delayLineWithLoss] + parts.shapedQueue
            classes = parts.shaperClasses
        } else if conditions.duplicate > .zero {
            guard dnsDelay == nil else {
                throw UnsupportedConditions(
                    "duplication together with a DNS delay",
                    "the kernel refuses a second netem beside one that duplicates")
            }
            qdiscs = [parts.segmenter, parts.everythingInOne]
        } else {
            qdiscs = [parts.segmenter, parts.delayLine, parts.bottleneck]
            if dnsDelay != nil || old?.has(Ownership.Handle.dnsBands) == true {
                qdiscs += parts.dnsBranches
                filters = parts.dnsFilters
            } else if parts.hasTail || old?.has(Ownership.Handle.tail) == true {
                qdiscs.append(parts.tail)
            }
        }
    }

    /// Whether there is a qdisc with this handle.
    func has(_ handle: QdiscHandle) -> Bool { qdiscs.contains { $0.handle == handle } }

    /// netem silently caps longer ones at this.
    private static let longestJitter = Duration.nanoseconds(Int64(Int32.max))
}

/// The properties of the conditioned interface that the tree depends on.
struct ConditionedLink: Hashable {
    /// The MTU: the largest IP packet.
    var mtu: UInt32
    /// The length of the header before the IP header of each packet.
    var headerLength: Int

    /// Subtracts the link-layer header: a profile's bandwidth is that of IP packets.
    var packetOverhead: Int32 { -Int32(headerLength) }

    /// The longest frame of the interface: Ethernet header, two VLAN tags, and some reserve.
    var longestFrame: ByteCount {
        max(Self.shortestLimit, ByteCount(bytes: UInt64(mtu) + 32))
    }

    /// The longest frame that passes at any MTU.
    static let shortestLimit = ByteCount(bytes: 1600)
}

/// Conditions that the kernel's qdiscs cannot carry out.
public struct UnsupportedConditions: Error, Hashable, Sendable, CustomStringConvertible {
    /// The unsupported feature.
    public let feature: String
    /// Why it is unsupported.
    public let reason: String

    init(_ feature: String, _ reason: String) {
        self.feature = feature
        self.reason = reason
    }

    /// One sentence.
    public var description: String {
        "\(feature): not on the kernel data plane, because \(reason)"
    }
}
