import LinkModel
public import LinuxKernel

/// The addresses on the two sides of what stands in the middle.
public struct MiddleboxPlace: Sendable, Hashable {
    /// The app's IPv4 address.
    public var inside: IPAddress
    /// The IPv4 address that the network sees instead if there is a NAT.
    public var outside: IPAddress
    /// The addresses of the captive portal's server, at most one of each family.
    public var portal: [IPAddress]
    /// The port at which the captive portal's server listens. It is not that of web pages, which the
    /// servers of a run may want at all addresses.
    public static let portalPort: UInt16 = 61_080
    /// The port at which the middle's own name server listens there, for questions by TCP.
    public static let namePort: UInt16 = 61_053
    /// Whether the network has a name server.
    public var hasNameServer: Bool
    /// Whether the network leads to hosts of IPv6. If not, a name server that gives addresses of a NAT64
    /// leaves out theirs.
    public var leadsToIPv6: Bool

    /// Makes a place.
    public init(
        inside: IPAddress, outside: IPAddress, portal: [IPAddress] = [], hasNameServer: Bool = true,
        leadsToIPv6: Bool = true
    ) {
        self.inside = inside
        self.outside = outside
        self.portal = portal
        self.hasNameServer = hasNameServer
        self.leadsToIPv6 = leadsToIPv6
    }

    /// The address between two NATs, of the network that is shared by customers (RFC 6598).
    static let between = IPAddress(ipv4: 0x6440_0002)
}

/// An event in the life of a NAT: it forgets its entries by intention.
public struct Rebinding: Sendable, Hashable {
    /// When it was planned, by the clock of the stage.
    public var time: Duration
    /// Which of several NATs it is, from 0, the app's own.
    public var place: Int
    /// How many entries it had.
    public var entries: Int
}

/// NATs in a row, the app's own first.
struct TranslationStage: Sendable {
    /// What the fragments of a packet have in common.
    private struct FragmentKey: Sendable, Hashable {
        var source: IPAddress
        var target: IPAddress
        var transport: UInt8
        var identification: UInt32
    }

    private let place: MiddleboxPlace
    private var translators: [Translator] = []
    /// What was decided on first fragments, for the later ones, which have no ports.
    private var fragments = RecencyTable<FragmentKey, MiddleboxVerdict>(capacity: 256)

    init(_ rules: [AddressTranslation], at place: MiddleboxPlace, now: Duration) {
        self.place = place
        change(to: rules, at: now)
    }

    /// How often one of them has forgotten entries by intention.
    var rebindings: UInt64 { translators.reduce(formerRebindings) { $0 + $1.rebindings } }
    private var formerRebindings: UInt64 = 0
    private var newRebindings: [Rebinding] = []

    /// The number of entries of each.
    var entryCounts: [Int] { translators.map(\.entryCount) }

    /// Forgets what is due.
    private mutating func advance(to now: Duration) {
        for index in translators.indices {
            guard let (time, entries) = translators[index].advance(to: now),
                newRebindings.count < Self.mostRebindings
            else { continue }
            newRebindings.append(Rebinding(time: time, place: index, entries: entries))
        }
    }

    /// Nobody may ever ask.
    private static let mostRebindings = 1000

    /// The rebindings that were not taken yet.
    mutating func takeRebindings(at now: Duration) -> [Rebinding] {
        advance(to: now)
        defer { newRebindings = [] }
        return newRebindings
    }

    /// Changes what they do; if their number stays, so do their entries.
    mutating func change(to rules: [AddressTranslation], at now: Duration) {
        guard translators.count == rules.count else {
            formerRebindings = rebindings
            translators = rules.indices.map { index in
                Translator(
                    rules[index],
                    address: index == rules.count - 1 ? place.outside : MiddleboxPlace.between,
                    at: now)
            }
            return
        }
        for index in rules.indices { translators[index].change(to: rules[index], at: now) }
    }

    /// Decides on a packet.
    mutating func verdict(
        on packet: PacketFields, _ direction: Direction, at now: Duration
    ) -> MiddleboxVerdict {
        advance(to: now)
        guard !packet.source.address.isIPv6, packet.target.address.isOfOneHost,
            packet.source.address.isOfOneHost
        else { return .passes }
        if direction == .down, packet.target.address != place.outside {
            // From outside, nobody knows the address inside.
            return packet.target.address == place.inside ? .dropped(.unmapped, nil) : .passes
        }
        guard let fragment = packet.fragment else { return decide(packet, direction, at: now) }
        let key = FragmentKey(
            source: packet.source.address, target: packet.target.address,
            transport: packet.transport, identification: fragment.identification)
        guard fragment.isFirst else { return fragments[key] ?? .dropped(.unmapped, nil) }
        let verdict = decide(packet, direction, at: now)
        if fragments.isFull, let oldest = fragments.oldest { fragments.remove(oldest.key) }
        fragments.set(verdict, for: key, at: now)
        return verdict
    }

    private mutating func decide(
        _ packet: PacketFields, _ direction: Direction, at now: Duration
    ) -> MiddleboxVerdict {
        do throws(Untranslated) {
            if packet.isError {
                return .changed(
                    try direction == .up ? errorLeaving(packet) : errorArriving(packet))
            }
            guard let transport = TranslationTable.Transport(packet) else {
                // What has no ports can only change its address.
                return .changed(
                    direction == .up
                        ? HeaderChange(source: Endpoint(place.outside, port: 0))
                        : HeaderChange(target: Endpoint(place.inside, port: 0)))
            }
            return try direction == .up
                ? leaving(packet, transport, at: now) : arriving(packet, transport, at: now)
        } catch {
            return .dropped(error == .unmapped ? .unmapped : .tableFull, nil)
        }
    }

    private mutating func leaving(
        _ packet: PacketFields, _ transport: TranslationTable.Transport, at now: Duration
    ) throws(Untranslated) -> MiddleboxVerdict {
        let remote = packet.remote(packet.target)
        var sender = packet.source
        for index in translators.indices {
            let isOwn = remote.address == translators[index].address
            if isOwn, !translators[index].rules.hairpin { throw .unmapped }
            let flow = TranslationTable.Flow(transport: transport, inside: sender, outside: remote)
            sender = try translators[index].leaving(flow, flags: packet.tcpFlags, at: now).get()
            guard isOwn else { continue }
            var receiver = packet.target
            for inner in (0...index).reversed() {
                receiver = try translators[inner].arriving(
                    at: receiver.port, transport, from: packet.remote(sender),
                    flags: packet.tcpFlags, at: now
                ).get()
            }
            return .turnedBack(HeaderChange(source: sender, target: receiver))
        }
        return .changed(HeaderChange(source: sender))
    }

    private mutating func arriving(
        _ packet: PacketFields, _ transport: TranslationTable.Transport, at now: Duration
    ) throws(Untranslated) -> MiddleboxVerdict {
        var receiver = packet.target
        for index in translators.indices.reversed() {
            receiver = try translators[index].arriving(
                at: receiver.port, transport, from: packet.remote(packet.source),
                flags: packet.tcpFlags, at: now
            ).get()
        }
        return .changed(HeaderChange(target: receiver))
    }

    /// The app's end of a TCP connection with this host outside; nil if there is none.
    func inside(of outside: Endpoint, from host: IPAddress) -> Endpoint? {
        translators.reversed().reduce(outside) { (end: Endpoint?, translator) in
            end.flatMap { translator.owner(of: $0.port, .tcp, host) }
        }
    }

    /// An ICMP error of the app about a packet that it got (RFC 5508, section 4).
    private func errorLeaving(_ packet: PacketFields) throws(Untranslated) -> HeaderChange {
        guard let quoted = packet.quoted, let transport = quoted.translated else { throw .unmapped }
        var endpoint = quoted.target
        for translator in translators {
            guard
                let alias = translator.alias(
                    of: endpoint, transport, for: quoted.remote(quoted.source))
            else { throw .unmapped }
            endpoint = alias
        }
        return HeaderChange(source: Endpoint(place.outside, port: 0), quotedTarget: endpoint)
    }

    /// An ICMP error from outside about a packet of the app.
    private func errorArriving(_ packet: PacketFields) throws(Untranslated) -> HeaderChange {
        guard let quoted = packet.quoted, let transport = quoted.translated,
            quoted.source.address == place.outside
        else { throw .unmapped }
        var endpoint = quoted.source
        for translator in translators.reversed() {
            guard
                let owner = translator.owner(of: endpoint.port, transport, quoted.target.address)
            else { throw .unmapped }
            endpoint = owner
        }
        return HeaderChange(target: Endpoint(endpoint.address, port: 0), quotedSource: endpoint)
    }
}

extension TranslationTable.Transport {
    /// What has ports; nil for other packets.
    init?(_ packet: PacketFields) {
        guard packet.transportOffset != nil else { return nil }
        switch packet.transport {
        case IPProtocol.tcp: self = .tcp
        case IPProtocol.udp: self = .udp
        case IPProtocol.icmp, IPProtocol.icmpv6:
            guard packet.isEcho else { return nil }
            self = .echo
        default: return nil
        }
    }
}

extension PacketFields {
    var tcpFlags: UInt8 { transport == IPProtocol.tcp ? kind : 0 }

    /// An end outside, which has no port of its own in an echo.
    func remote(_ endpoint: Endpoint) -> Endpoint {
        isEcho ? Endpoint(endpoint.address, port: 0) : endpoint
    }
}

extension QuotedFields {
    var translated: TranslationTable.Transport? {
        switch transport {
        case IPProtocol.tcp: .tcp
        case IPProtocol.udp: .udp
        case IPProtocol.icmp, IPProtocol.icmpv6: .echo
        default: nil
        }
    }

    func remote(_ endpoint: Endpoint) -> Endpoint {
        transport == IPProtocol.icmp || transport == IPProtocol.icmpv6
            ? Endpoint(endpoint.address, port: 0) : endpoint
    }
}
