public import LinkModel

/// Which packets are sent when, so that two programs can measure a link without talking over it.
public struct ProbePlan: Sendable, Hashable, Codable {
    /// What a flow of packets is for.
    public enum Purpose: String, Sendable, Hashable, Codable {
        /// Few small packets over an idle link: delay and jitter.
        case delay
        /// The same over IPv6.
        case delayIPv6
        /// Many small packets, fewer than the bandwidth: loss, reordering, duplicates, damage.
        case loss
        /// More packets than the bandwidth: bandwidth and queue.
        case saturation
        /// Packets to port 53.
        case dns
        /// As many to another port, to compare.
        case dnsReference
    }

    /// Packets at even intervals.
    public struct Segment: Sendable, Hashable, Codable {
        /// How many.
        public var count: Int
        /// From one to the next.
        public var interval: Duration

        package init(count: Int, interval: Duration) {
            (self.count, self.interval) = (count, interval)
        }

        /// From the first packet to the one that would follow the last.
        public var duration: Duration { interval * count }
    }

    /// Packets of one size that go one way.
    public struct Flow: Sendable, Hashable, Codable {
        /// What it is for.
        public var purpose: Purpose
        /// Its way.
        public var direction: Direction
        /// Its family.
        public var family: InternetFamily
        /// Where it goes to.
        public var port: UInt16
        /// The bytes of a packet with its IP header.
        public var packetBytes: Int
        /// When it begins, from the beginning of all.
        public var start: Duration
        /// Its packets.
        public var segments: [Segment]

        package init(
            purpose: Purpose, direction: Direction, family: InternetFamily, port: UInt16,
            packetBytes: Int, start: Duration, segments: [Segment]
        ) {
            (self.purpose, self.direction, self.family) = (purpose, direction, family)
            (self.port, self.packetBytes, self.start) = (port, packetBytes, start)
            self.segments = segments
        }

        /// How many packets are to be sent.
        public var count: Int { segments.reduce(0) { $0 + $1.count } }
        /// From the first packet to the end of the last interval.
        public var duration: Duration { segments.reduce(.zero) { $0 + $1.duration } }
        /// The bytes behind the headers of IP and UDP.
        var payload: Int { packetBytes - family.headerBytes }
        /// Whether a sender that was held up makes up for it: the link has to stay overloaded.
        var catchesUp: Bool { purpose == .saturation }
    }

    /// A TCP connection over which as much as possible goes one way.
    public struct Transfer: Sendable, Hashable, Codable {
        /// Its way.
        public var direction: Direction
        /// Where the app connects to.
        public var port: UInt16
        /// When it begins.
        public var start: Duration
        /// How long it goes on before it counts.
        public var warmUp: Duration
        /// How long it counts.
        public var window: Duration

        /// When it ends.
        public var end: Duration { start + warmUp + window }
    }

    /// TCP connections that the app opens, to see how long that takes.
    public struct Connects: Sendable, Hashable, Codable {
        /// Where to.
        public var port: UInt16
        /// When the first begins.
        public var start: Duration
        /// How many.
        public var count: Int
        /// When an attempt is given up.
        public var patience: Duration
    }

    /// The packets.
    public var flows: [Flow] = []
    /// The transfers, behind the packets.
    public var transfers: [Transfer] = []
    /// The connections, behind the transfers.
    public var connects: [Connects] = []
    /// When nothing is under way any more.
    public var duration: Duration = .zero
}
