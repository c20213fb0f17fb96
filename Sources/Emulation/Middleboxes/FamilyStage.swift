import LinkModel
import LinuxKernel

/// A network with addresses of one family alone, and its NAT64, in virtual time.
struct FamilyStage: Sendable {
    /// What the fragments of a packet have in common.
    private struct FragmentKey: Sendable, Hashable {
        var source: IPAddress
        var target: IPAddress
        var transport: UInt8
        var identification: UInt32
    }

    private let place: MiddleboxPlace?
    private(set) var family: NetworkFamily?
    private var translator: Translator?
    private var names: SynthesizedNames
    /// What was decided on first fragments, for the later ones, which have no ports.
    private var fragments = RecencyTable<FragmentKey, MiddleboxVerdict>(capacity: 256)
    private var identification: UInt16 = 0

    init(at place: MiddleboxPlace?) {
        self.place = place
        names = SynthesizedNames(ignoresIPv6: place?.leadsToIPv6 == false)
    }

    /// The address outside of the NAT64, which nobody else has; nil: there is none.
    var outside: IPAddress? { translator?.address }

    /// The number of entries of the NAT64.
    var entryCount: Int { translator?.entryCount ?? 0 }

    /// Changes the family. What a NAT64 knows stays if there is still one.
    mutating func change(to family: NetworkFamily?, at now: Duration) {
        self.family = family
        guard family == .nat64, let place else {
            translator = nil
            names = SynthesizedNames(ignoresIPv6: names.ignoresIPv6)
            return
        }
        if translator == nil {
            translator = Translator(NAT64.rules, address: place.outside, at: now)
        }
    }

    // MARK: Packets of the app

    /// Why a packet of the app gets nowhere, whatever else stands in the middle; nil if it may.
    func obstacle(to packet: PacketFields) -> MiddleboxVerdict? {
        guard let family, packet.source.address.isIPv6 ? !family.hasIPv6 : !family.hasIPv4 else {
            return nil
        }
        return .dropped(.unrouted, MiddleboxAnswer(saying: .noRoute, to: packet))
    }

    /// The answer to a question for the name by which apps find the prefix; nil for other packets.
    func answer(to packet: PacketFields) -> MiddleboxVerdict? {
        packet.questionName.flatMap(answer).map { .answered($0) }
    }

    /// The same for the name alone.
    func answer(to name: String) -> ResolverAnswer? {
        guard family == .nat64, name == NAT64.discoveryName else { return nil }
        let addresses = NAT64.discoveryAddresses
        return .synthesized(addresses + addresses.map(NAT64.address(for:)))
    }

    /// Decides on a packet of the app; nil if the NAT64 is not on its way.
    mutating func leaving(_ packet: PacketFields, at now: Duration) -> MiddleboxVerdict? {
        guard translator != nil, let target = NAT64.ipv4(of: packet.target.address) else {
            return nil
        }
        guard target.isOfOneHost, target.low >> 24 != 127, packet.source.address.isOfOneHost else {
            return .dropped(.unrouted, MiddleboxAnswer(saying: .noRoute, to: packet))
        }
        guard packet.hopLimit > 1 else {
            return .dropped(.unrouted, MiddleboxAnswer(saying: .expired, to: packet))
        }
        translator?.advance(to: now)
        let target4 = Endpoint(target, port: packet.target.port)
        return verdict(on: packet, at: now) { stage throws(Untranslated) in
            if packet.isError { return .changed(try stage.errorLeaving(packet, to: target4)) }
            guard let transport = TranslationTable.Transport(packet) else { throw .unmapped }
            let flow = TranslationTable.Flow(
                transport: transport, inside: packet.source, outside: packet.remote(target4))
            guard
                let sender = try stage.translator?.leaving(
                    flow, flags: packet.tcpFlags, at: now
                ).get()
            else { throw .unmapped }
            guard target == sender.address else {
                return .changed(HeaderChange(source: sender, target: target4, changesFamily: true))
            }
            return .turnedBack(try stage.hairpin(packet, transport, from: sender, at: now))
        }
    }

    /// What a packet becomes that the app has sent to the address outside of the NAT64 (RFC 6146, section
    /// 3.8).
    private mutating func hairpin(
        _ packet: PacketFields, _ transport: TranslationTable.Transport, from sender: Endpoint,
        at now: Duration
    ) throws(Untranslated) -> HeaderChange {
        guard
            let receiver = try translator?.arriving(
                at: packet.isEcho ? sender.port : packet.target.port, transport,
                from: packet.remote(sender), flags: packet.tcpFlags, at: now
            ).get()
        else { throw .unmapped }
        return HeaderChange(
            source: Endpoint(
                NAT64.address(for: sender.address),
                port: packet.isEcho ? receiver.port : sender.port), target: receiver)
    }

    // MARK: Packets toward the app

    /// Decides on a packet toward the app; nil if it may pass as it is.
    mutating func arriving(_ packet: PacketFields, at now: Duration) -> MiddleboxVerdict? {
        guard let family, packet.source.address.isIPv6 ? !family.hasIPv6 : !family.hasIPv4 else {
            return nil
        }
        guard let translator, packet.target.address == translator.address else {
            return .dropped(.unrouted, nil)
        }
        guard packet.hopLimit > 1, packet.source.address.isOfOneHost else {
            return .dropped(.unrouted, nil)
        }
        self.translator?.advance(to: now)
        let source = Endpoint(NAT64.address(for: packet.source.address), port: packet.source.port)
        return verdict(on: packet, at: now) { stage throws(Untranslated) in
            if packet.isError { return .changed(try stage.errorArriving(packet, from: source)) }
            guard let transport = TranslationTable.Transport(packet) else { throw .unmapped }
            guard
                let receiver = try stage.translator?.arriving(
                    at: packet.target.port, transport, from: packet.remote(packet.source),
                    flags: packet.tcpFlags, at: now
                ).get()
            else { throw .unmapped }
            return .changed(
                HeaderChange(
                    source: packet.isEcho ? Endpoint(source.address, port: receiver.port) : source,
                    target: receiver, changesFamily: true))
        }
    }

    /// What a name server's answer to the app becomes; nil if it stays.
    mutating func namesArriving(_ packet: PacketFields, at now: Duration) -> MiddleboxVerdict? {
        guard family == .nat64, packet.source.address.isIPv6, let answer = packet.nameAnswer else {
            return nil
        }
        return names.decide(answer, from: packet.source, to: packet.target, at: now)
    }

    // MARK: Translation

    /// Later fragments share the fate of the first, which has to come first.
    private mutating func verdict(
        on packet: PacketFields, at now: Duration,
        _ translate: (inout FamilyStage) throws(Untranslated) -> MiddleboxVerdict
    ) -> MiddleboxVerdict {
        let key = packet.fragment.map {
            FragmentKey(
                source: packet.source.address, target: packet.target.address,
                transport: packet.transport, identification: $0.identification)
        }
        if let key, packet.fragment?.isFirst == false {
            return fragments[key] ?? .dropped(.unmapped, nil)
        }
        // Its checksum tells nothing of the parts (RFC 7915, section 1.2).
        if key != nil, packet.isEcho { return .dropped(.unrouted, nil) }
        do throws(Untranslated) {
            var verdict = try translate(&self)
            if case .changed(var change) = verdict {
                identification &+= 1
                change.identification = identification
                verdict = .changed(change)
            }
            if let key {
                if fragments.isFull, let oldest = fragments.oldest { fragments.remove(oldest.key) }
                fragments.set(verdict, for: key, at: now)
            }
            return verdict
        } catch {
            return .dropped(error == .unmapped ? .unmapped : .tableFull, nil)
        }
    }

    /// An ICMP error of the app about a packet that it got.
    private func errorLeaving(
        _ packet: PacketFields, to target: Endpoint
    ) throws(Untranslated) -> HeaderChange {
        guard let translator, let quoted = packet.quoted, let transport = quoted.translated,
            let sender = NAT64.ipv4(of: quoted.source.address)
        else { throw .unmapped }
        let remote = quoted.remote(Endpoint(sender, port: quoted.source.port))
        guard let alias = translator.alias(of: quoted.target, transport, for: remote) else {
            throw .unmapped
        }
        return HeaderChange(
            source: Endpoint(translator.address, port: 0), target: target,
            quotedSource: Endpoint(
                sender, port: transport == .echo ? alias.port : quoted.source.port),
            quotedTarget: alias, changesFamily: true)
    }

    /// An ICMP error from outside about a packet of the app.
    private func errorArriving(
        _ packet: PacketFields, from source: Endpoint
    ) throws(Untranslated) -> HeaderChange {
        guard let translator, let quoted = packet.quoted, let transport = quoted.translated,
            quoted.source.address == translator.address,
            let owner = translator.owner(
                of: quoted.source.port, transport, quoted.target.address)
        else { throw .unmapped }
        return HeaderChange(
            source: source, target: Endpoint(owner.address, port: 0), quotedSource: owner,
            quotedTarget: Endpoint(
                NAT64.address(for: quoted.target.address),
                port: transport == .echo ? owner.port : quoted.target.port),
            changesFamily: true)
    }
}
