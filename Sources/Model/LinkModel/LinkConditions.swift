import LinkUnits

/// What a link does to packets in both directions.
public struct LinkConditions: Sendable, Hashable, Codable {
    /// Toward the app: the ingress of its interface.
    public var down: DirectionConditions
    /// From the app: the egress of its interface.
    public var up: DirectionConditions
    /// Extra one-way delay of outgoing DNS: UDP and TCP to port 53, IPv4 and IPv6.
    public var dnsDelay: Duration?
    /// Whether the link delivers nothing.
    public var isBlackhole: Bool
    /// What stands between the link and the rest of the network; nil: nothing.
    public var middle: Middlebox?

    /// How much longer questions for names take on a link that the packet engine carries, by its own
    /// condition or since the name server in the middle is slow.
    public var questionDelay: Duration? {
        let slowness = middle?.dns?.delay ?? .zero
        return dnsDelay ?? (slowness > .zero ? slowness : nil)
    }

    /// Makes conditions; without arguments, those of a perfect link.
    public init(
        down: DirectionConditions = .init(), up: DirectionConditions = .init(),
        dnsDelay: Duration? = nil, isBlackhole: Bool = false, middle: Middlebox? = nil
    ) {
        self.down = down
        self.up = up
        self.dnsDelay = dnsDelay
        self.isBlackhole = isBlackhole
        self.middle = middle
    }

    /// The conditions with a black hole written as 100 % loss in both directions.
    public var withExplicitLoss: LinkConditions {
        guard isBlackhole else { return self }
        var conditions = self
        conditions.isBlackhole = false
        conditions.down.loss = .random(.one)
        conditions.up.loss = .random(.one)
        return conditions
    }

    /// The propagation part of the RTT: delay down plus delay up.
    public var roundTripTime: Duration { down.delay + up.delay }
}
