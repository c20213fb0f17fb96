package import LinkModel
package import LinuxKernel

/// What became of packets that were sent.
package enum Passage: Sendable, Hashable {
    case passes
    /// They arrive, but what is sent back does not.
    case outward
    /// They leave by another address than connections do.
    case otherAddress
    case blocked(Firewall.Answer)
    /// It could not be tried.
    case unknown(String)
}

/// What a network does, as far as it was found out. Nil: not measured.
package struct NetworkFacts: Sendable, Hashable {
    /// The largest packet of a direction.
    package struct PacketSize: Sendable, Hashable {
        package var bytes: Int
        /// Whether a packet of 1,500 bytes passes; larger ones are not tried.
        package var isFull: Bool
        /// Whether the sender is told of what does not pass.
        package var isTold: Bool

        package init(bytes: Int, isFull: Bool, isTold: Bool) {
            (self.bytes, self.isFull, self.isTold) = (bytes, isFull, isTold)
        }
    }

    /// The largest segment that an end announced, and that the other end was told.
    package struct Segment: Sendable, Hashable {
        package var announced: Int
        package var arrived: Int

        package init(announced: Int, arrived: Int) {
            (self.announced, self.arrived) = (announced, arrived)
        }

        var isClamped: Bool { arrived < announced }
    }

    /// A port of the responder and what became of packets to it.
    package struct PortPassage: Sendable, Hashable {
        package var port: UInt16
        package var passage: Passage

        package init(port: UInt16, passage: Passage) {
            (self.port, self.passage) = (port, passage)
        }
    }

    /// Who answered.
    package enum ResponderFact: Sendable, Hashable {
        case reached(Endpoint, program: String)
        case absent(String)
    }

    /// Whether there are routes.
    package var hasIPv4 = false
    package var hasIPv6 = false
    package var resolver = ResolverFacts()
    package var portal = PortalFact.unknown("it was not asked")
    package var responder = ResponderFact.absent("it was not asked")
    /// UDP to the port of the responder, and to others of its ports.
    package var datagrams: [PortPassage] = []
    /// Large datagrams, which QUIC's have to be compared with, and QUIC's.
    package var longDatagrams: Passage?
    package var quic: Passage?
    /// TCP to other ports of the responder.
    package var streams: [PortPassage]?
    package var translation = TranslationFact.unknown("no responder answers")
    package var rebinding = RebindingFact.unknown("no responder answers")
    package var upSegment: Segment?
    package var downSegment: Segment?
    package var upSize: PacketSize?
    package var downSize: PacketSize?

    package init() {}
}
