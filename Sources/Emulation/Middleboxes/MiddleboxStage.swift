public import LinkModel
public import LinuxKernel

/// What stands between a link and the rest of the network, in virtual time.
///
/// Sans-I/O, like `LinkEmulator`: the caller provides the time and the fields of each packet of
/// both directions, and carries out what is decided. All times count from one moment of the
/// caller's choice; those of the two directions may differ by a little. The same packets at the same
/// times have the same fate, by chance only as the seed says. The tables are limited: a peer cannot
/// make them grow beyond that.
///
///     app ── link ──┬─ firewall ── name server ── portal ── NAT ── NAT ── segment size ── network
///                   └─ answers                           └─ NAT64 ─┘
///
/// In a network without one of the families, packets of that family get no further than the link.
/// Packets of the app meet it after the link, packets toward the app before.
public struct MiddleboxStage: Sendable {
    /// The most connections that a table has room for.
    public static let capacity = 10_000

    private let place: MiddleboxPlace?
    private var firewall: FirewallStage?
    private var translation: TranslationStage?
    private var family: FamilyStage
    private var segmentSize: UInt16?
    private var resolver: ResolverStage
    private var portal: PortalStage
    private var nameStreams: RedirectedStreams
    /// The latest time that the caller provided.
    private var clock = Duration.zero
    private var formerRebindings: UInt64 = 0
    private var formerNewRebindings: [Rebinding] = []

    /// Makes a stage; nil: everything passes.
    ///
    /// - Parameters:
    ///   - place: the addresses of its two sides; without them there is no NAT.
    ///   - seed: the seed of what happens by chance.
    public init(_ middlebox: Middlebox?, at place: MiddleboxPlace? = nil, seed: UInt64 = 0) {
        self.place = place
        family = FamilyStage(at: place)
        resolver = ResolverStage(seed: seed)
        portal = PortalStage(
            at: place?.portal ?? [], hasNameServer: place?.hasNameServer ?? true,
            capacity: Self.capacity)
        nameStreams = RedirectedStreams(
            to: (place?.portal ?? []).map { Endpoint($0, port: MiddleboxPlace.namePort) },
            capacity: Self.capacity)
        change(to: middlebox, at: .zero)
    }

    /// Whether it does nothing to any packet.
    public var isIdle: Bool {
        firewall == nil && translation == nil && family.family == nil && segmentSize == nil
            && resolver.isIdle && portal.isIdle && nameStreams.isEmpty
    }

    /// Whether a captive portal holds the app back.
    public mutating func isCaptive(at now: Duration) -> Bool {
        clock = max(clock, now)
        portal.advance(to: clock)
        return portal.isClosed
    }

    /// Opens the captive portal, since somebody has clicked on its page.
    public mutating func clickPortal(at now: Duration) {
        clock = max(clock, now)
        portal.click(at: clock)
    }

    /// The events of the captive portal that were not taken yet, in their order.
    public mutating func takePortalEvents(at now: Duration) -> [PortalEvent] {
        clock = max(clock, now)
        portal.advance(to: clock)
        return portal.takeEvents()
    }

    /// The addresses of its two sides if a NAT makes a difference between them.
    public var translatedPlace: MiddleboxPlace? { translation == nil ? nil : place }

    /// The address outside of a NAT64, which nobody else has; nil: there is none.
    public var standIn: IPAddress? { family.outside }

    /// How often a NAT has forgotten its entries by intention.
    public var rebindings: UInt64 { formerRebindings + (translation?.rebindings ?? 0) }

    /// The rebindings that were not taken yet, in their order.
    public mutating func takeRebindings(at now: Duration) -> [Rebinding] {
        clock = max(clock, now)
        defer { formerNewRebindings = [] }
        return formerNewRebindings + (translation?.takeRebindings(at: clock) ?? [])
    }

    /// The number of entries of each NAT.
    public var entryCounts: [Int] {
        translation?.entryCounts ?? (family.outside == nil ? [] : [family.entryCount])
    }

    /// Replaces what stands in the middle. What it knows of connections stays where that matters
    /// to the new one.
    public mutating func change(to middlebox: Middlebox?, at now: Duration) {
        clock = max(clock, now)
        family.change(to: middlebox?.family, at: clock)
        segmentSize = middlebox?.mss.map { UInt16(clamping: $0) }
        resolver.rules = middlebox?.dns
        portal.advance(to: clock)
        portal.change(to: middlebox?.captivePortal)
        let rules = middlebox?.nat ?? []
        if let place, !rules.isEmpty {
            if translation?.change(to: rules, at: clock) == nil {
                translation = TranslationStage(rules, at: place, now: clock)
            }
        } else {
            formerNewRebindings += translation?.takeRebindings(at: clock) ?? []
            formerRebindings = rebindings
            translation = nil
        }
        if let rules = middlebox?.firewall, firewall != nil {
            firewall?.change(to: rules)
        } else {
            firewall = (middlebox?.firewall).map { FirewallStage($0, capacity: Self.capacity) }
        }
    }

    /// Decides on a packet.
    public mutating func verdict(
        on packet: PacketFields, _ direction: Direction, at now: Duration
    ) -> MiddleboxVerdict {
        let verdict = fate(of: packet, direction, at: now)
        guard let segmentSize, packet.transport == IPProtocol.tcp,
            packet.kind & TCPFlag.syn != 0, let header = packet.transportOffset
        else { return verdict }
        let limit = HeaderChange.SegmentLimit(bytes: segmentSize, header: header)
        switch verdict {
        case .passes: return .changed(HeaderChange(segments: limit))
        case .changed(var change):
            change.segments = limit
            return .changed(change)
        case .turnedBack(var change):
            change.segments = limit
            return .turnedBack(change)
        case .dropped, .answered, .askedAgain, .replaced: return verdict
        }
    }

    /// What an ICMP error of the link itself is, about a packet toward the app, on the network's side
    /// of NATs.
    ///
    /// The link stands before the firewall, which does not see it.
    public mutating func change(ofError packet: PacketFields, at now: Duration) -> HeaderChange? {
        clock = max(clock, now)
        let verdict =
            family.leaving(packet, at: clock) ?? translation?.verdict(on: packet, .up, at: clock)
        if case .changed(let change) = verdict { return change }
        return nil
    }

    // MARK: Names by TCP

    /// Whether it answers questions for names by TCP, so that those connections lead to its own server.
    private var answersStreams: Bool {
        family.family == .nat64 || resolver.answersStreams || portal.answersNames
    }

    /// Whether names without an IPv6 address get one of the NAT64's.
    public var synthesizesNames: Bool { family.family == .nat64 }

    /// The name server that the app asked by a TCP connection that leads to the middle's own.
    ///
    /// - Parameter peer: the app's end as the middle's own server sees it.
    public func nameServer(askedBy peer: Endpoint) -> Endpoint? {
        guard let translation, peer.address == place?.outside,
            let host = place?.portal.first(where: { !$0.isIPv6 })
        else { return nameStreams[peer]?.target }
        return translation.inside(of: peer, from: host).flatMap { nameStreams[$0]?.target }
    }

    /// What the middle answers to a question for a name by TCP; nil: the name server that was asked is to
    /// answer.
    public mutating func answer(toQuestionFor name: String, at now: Duration) -> ResolverAnswer? {
        clock = max(clock, now)
        portal.advance(to: clock)
        return resolver.answer(to: name).map(withOwnAddress) ?? family.answer(to: name)
            ?? (portal.answersNames ? portal.nameAnswer : nil)
    }

    /// Leads a packet to the middle's own name server; nil if that is not for it.
    private mutating func nameStream(up packet: PacketFields) -> MiddleboxVerdict? {
        guard packet.transport == IPProtocol.tcp, packet.target.port == DNSMessage.port,
            packet.target.address.isOfOneHost
        else { return nil }
        let isActive = answersStreams
        let ends =
            nameStreams.redirection(of: packet, takesNew: isActive, at: clock)
            ?? (isActive ? nameStreams.redirectionOfNew(packet, at: clock) : nil)
        return ends.map { redirected(packet, from: $0.source, to: $0.target) }
    }

    // MARK: Decisions

    private mutating func fate(
        of packet: PacketFields, _ direction: Direction, at now: Duration
    ) -> MiddleboxVerdict {
        clock = max(clock, now)
        // Each side of the firewall's rules is the app's.
        guard direction == .up else {
            let verdict =
                family.arriving(packet, at: clock)
                ?? translation?.verdict(on: packet, .down, at: clock) ?? .passes
            if case .dropped = verdict { return verdict }
            var inner = packet
            if case .changed(let change) = verdict { inner.become(change) }
            let streamed = nameStreams.restoration(of: inner, at: clock)
            if let streamed { (inner.source, inner.target) = streamed }
            guard let (drop, answer) = obstacle(to: inner, .down) else {
                if let lost = resolver.verdict(on: inner, .down) { return lost }
                if let streamed {
                    return .changed(HeaderChange(source: streamed.source, target: streamed.target))
                }
                return portal(down: inner) ?? family.namesArriving(packet, at: clock) ?? verdict
            }
            return .dropped(drop, answer.flatMap { MiddleboxAnswer($0, inPlaceOf: inner) })
        }
        if let obstacle = family.obstacle(to: packet) { return obstacle }
        if let (drop, answer) = obstacle(to: packet, .up) {
            return .dropped(drop, answer.flatMap { MiddleboxAnswer($0, to: packet) })
        }
        return asked(packet) ?? family.answer(to: packet) ?? portal(up: packet)
            ?? nameStream(up: packet) ?? family.leaving(packet, at: clock)
            ?? translation?.verdict(on: packet, .up, at: clock) ?? .passes
    }

    /// What the name server decides on a packet of the app; nil: nothing.
    private mutating func asked(_ packet: PacketFields) -> MiddleboxVerdict? {
        let verdict = resolver.verdict(on: packet, .up)
        guard case .answered(let answer) = verdict else { return verdict }
        return .answered(withOwnAddress(answer))
    }

    /// A wrong address has its own behind a NAT64.
    private func withOwnAddress(_ answer: ResolverAnswer) -> ResolverAnswer {
        guard family.outside != nil, case .wrong(let address) = answer else { return answer }
        return .misleading([address, NAT64.address(for: address)])
    }

    /// What the captive portal decides on a packet of the app; nil: nothing.
    private mutating func portal(up packet: PacketFields) -> MiddleboxVerdict? {
        guard !portal.isIdle else { return nil }
        switch portal.decideUp(packet, at: clock) {
        case .passes: return nil
        case .answered(let answer): return .answered(answer)
        case .stopped:
            let answer: Firewall.Answer = packet.transport == IPProtocol.tcp ? .reset : .icmp
            return .dropped(.captive, MiddleboxAnswer(answer, to: packet))
        case .redirected(let source, let target):
            return redirected(packet, from: source, to: target)
        }
    }

    /// Leads a packet to a server of the middle. The NAT sees it as it goes there.
    private mutating func redirected(
        _ packet: PacketFields, from source: Endpoint, to target: Endpoint
    ) -> MiddleboxVerdict {
        var inner = packet
        (inner.source, inner.target) = (source, target)
        let verdict = translation?.verdict(on: inner, .up, at: clock) ?? .passes
        var change = HeaderChange(source: source, target: target)
        switch verdict {
        case .changed(let translated): change.source = translated.source ?? source
        case .passes: break
        case .turnedBack, .answered, .dropped, .askedAgain, .replaced: return verdict
        }
        return .changed(change)
    }

    /// What the captive portal decides on a packet toward the app; nil: nothing.
    ///
    /// - Parameter inner: the packet as it is on the app's side of the NAT.
    private mutating func portal(down inner: PacketFields) -> MiddleboxVerdict? {
        guard !portal.isIdle else { return nil }
        switch portal.decideDown(inner, at: clock) {
        case .passes, .answered: return nil
        case .stopped:
            return .dropped(.captive, MiddleboxAnswer(.reset, inPlaceOf: inner))
        case .redirected(let source, let target):
            return .changed(HeaderChange(source: source, target: target))
        }
    }

    /// Why the firewall stops a packet, and what it says to that; nil if the packet passes. It says
    /// nothing of connections that it has forgotten.
    private mutating func obstacle(
        to packet: PacketFields, _ direction: Direction
    ) -> (MiddleboxDrop, Firewall.Answer?)? {
        guard let drop = firewall?.obstacle(to: packet, direction, at: clock) else { return nil }
        return (drop, drop == .blocked ? firewall?.rules.answer : nil)
    }
}

/// What a middlebox decides on a packet.
public enum MiddleboxVerdict: Sendable, Hashable {
    /// It passes.
    case passes
    /// It passes with other addresses and ports.
    case changed(HeaderChange)
    /// It goes back to the app with other addresses and ports.
    case turnedBack(HeaderChange)
    /// It asks for a name, and the middle answers.
    case answered(ResolverAnswer)
    /// The app never sees it, but the middle asks the name server again, by this packet.
    case askedAgain([UInt8])
    /// The app gets this packet in its place.
    case replaced([UInt8], isSynthesized: Bool)
    /// It does not pass, for this reason, and the app may get an answer.
    case dropped(MiddleboxDrop, MiddleboxAnswer?)
}

extension PacketFields {
    /// Makes it what it is on the app's side of a NAT.
    fileprivate mutating func become(_ change: HeaderChange) {
        let hasPorts = transportOffset != nil && !isError
        if let new = change.target {
            target = hasPorts ? new : Endpoint(new.address, port: target.port)
        }
        guard change.changesFamily, let new = change.source else { return }
        source = hasPorts ? new : Endpoint(new.address, port: source.port)
        if transport == IPProtocol.icmp {
            let types: [UInt8: UInt8] = [8: 128, 0: 129, 3: 1, 11: 3, 12: 4]
            transport = IPProtocol.icmpv6
            kind = types[kind] ?? kind
        }
    }
}
