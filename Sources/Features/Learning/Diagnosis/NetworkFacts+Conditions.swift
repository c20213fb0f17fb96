package import LinkModel
import LinkUnits
import LinuxKernel

/// A profile that does what the network does.
extension NetworkFacts {
    /// The smallest segment size that arrived changed; nil if none did.
    package var clampedSegment: Int? {
        [upSegment, downSegment].compactMap { $0 }.filter(\.isClamped).map(\.arrived).min()
    }

    /// What `linkcond run` is to imitate; what is not known is left out.
    package var conditions: LinkConditions {
        var conditions = LinkConditions()
        conditions.up.mtu = upSize.flatMap(\.limit)
        conditions.down.mtu = downSize.flatMap(\.limit)
        let middle = middlebox
        if middle != Middlebox() { conditions.middle = middle }
        // An MTU below 1,280 bytes, which IPv6 has not, would contradict it.
        if conditions.problem != nil {
            conditions.middle?.family = nil
            if conditions.middle == Middlebox() { conditions.middle = nil }
        }
        return conditions
    }

    private var middlebox: Middlebox {
        // Nothing else is to be seen behind a portal; its name server leads to it.
        if portal.isPortal { return Middlebox(captivePortal: CaptivePortal()) }
        var middle = Middlebox(firewall: firewall, mss: clampedSegment)
        if case .kind(let kind) = translation {
            middle.nat = [AddressTranslation(kind: kind, rebind: rebinding.interval)]
        }
        middle.dns = misbehaviour
        middle.family = family
        // A profile with what only IPv4 has would be refused.
        if family?.hasIPv4 == false { middle.nat = [] }
        if family == .nat64 {
            middle.dns?.truncate = false
            if middle.dns == Resolver() { middle.dns = nil }
        }
        return middle
    }

    /// The only family of addresses that the network has; nil: both, or it is not known.
    private var family: NetworkFamily? {
        switch (hasIPv4, hasIPv6) {
        case (true, false): .ipv4
        case (false, true): resolver.prefix == nil ? .ipv6 : .nat64
        default: nil
        }
    }

    private var firewall: Firewall? {
        let closed = datagrams.filter { $0.passage.answer != nil }
        let streams = streams ?? []
        let closedStreams = streams.filter { $0.passage.answer != nil }
        let answer = (closed + closedStreams).first?.passage.answer ?? quic?.answer
        guard let answer else { return nil }
        if !datagrams.isEmpty, closed.count == datagrams.count {
            // Nothing passes but the connection to the responder itself.
            if !streams.isEmpty, closedStreams.count == streams.count,
                case .reached(let endpoint, _) = responder
            {
                return Firewall(
                    allow: [TrafficKind(.tcp, firstPort: endpoint.port)], answer: answer)
            }
            return Firewall(block: [TrafficKind(.udp)] + kinds(.tcp, closedStreams), answer: answer)
        }
        let isQUICBlocked = quic?.answer != nil
        let block =
            (isQUICBlocked ? [TrafficKind(.quic)] : [])
            + kinds(.udp, closed.filter { !isQUICBlocked || $0.port != 443 })
            + kinds(.tcp, closedStreams)
        return Firewall(block: block, answer: answer)
    }

    private func kinds(
        _ transport: TrafficKind.Transport, _ ports: [PortPassage]
    ) -> [TrafficKind] {
        ports.map { TrafficKind(transport, firstPort: $0.port) }
    }

    /// How the name server fails; nil if it does not.
    ///
    /// What could never happen beside something else is left out: a profile with it is refused.
    private var misbehaviour: Resolver? {
        if resolver.isDown {
            // Without a responder, nothing at all may get through.
            guard case .reached = responder else { return nil }
            return .down
        }
        var rules = Resolver()
        let denied = resolver.denied
        rules.nxdomain = denied.count > 1 ? [.all] : denied.compactMap { NamePattern(parsing: $0) }
        if rules.nxdomain != [.all] { rules.servfail = resolver.failureShare }
        let isHopeless = rules.servfail == .one || rules.nxdomain == [.all]
        if !isHopeless, let lie = resolver.lie, !lie.address.isIPv6 {
            let address = IPv4Address(bits: UInt32(truncatingIfNeeded: lie.address.low))
            rules.wrongAnswer =
                lie.isForAll
                ? .init(address: address)
                : NamePattern(parsing: "*.invalid").map { .init(address: address, names: [$0]) }
        }
        let isLying = rules.wrongAnswer?.names == [.all]
        rules.truncate = resolver.isTruncating && !isHopeless && !isLying
        return rules == Resolver() ? nil : rules
    }
}

extension NetworkFacts.PacketSize {
    /// As a profile has it; nil if nothing smaller than usual was found.
    fileprivate var limit: LinkMTU? {
        isFull ? nil : LinkMTU(bytes: bytes, icmp: isTold ? .answered : .silent)
    }
}
