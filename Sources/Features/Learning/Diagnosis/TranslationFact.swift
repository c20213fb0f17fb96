package import LinkModel
package import LinuxKernel

/// What a NAT is.
package enum TranslationFact: Sendable, Hashable {
    /// The responder sees the address and the port of this host.
    ///
    /// Filtered: only what was sent to may answer, as with a stateful firewall. Nil: not known.
    case none(isFiltered: Bool?)
    case kind(AddressTranslation.Kind)
    /// Full-cone or restricted: the responder has no second address to tell them apart.
    case cone
    case unknown(String)
}

/// What was seen of a NAT.
package struct TranslationObservations: Sendable, Hashable {
    /// A question, and from where it came for the responder.
    package struct Mapping: Sendable, Hashable {
        package var door: Endpoint
        package var seen: Endpoint

        package init(door: Endpoint, seen: Endpoint) {
            (self.door, self.seen) = (door, seen)
        }
    }

    /// A socket that has asked several doors, the first one twice: first and last.
    package struct Series: Sendable, Hashable {
        package var local: Endpoint
        package var mappings: [Mapping]

        package init(local: Endpoint, mappings: [Mapping]) {
            (self.local, self.mappings) = (local, mappings)
        }

        /// Whether the first door saw the same port in the end.
        var isSteady: Bool {
            let own = mappings.filter { $0.door == mappings.first?.door }
            return own.count > 1 && Set(own.map(\.seen)).count == 1
        }
    }

    package var series: [Series] = []
    /// Whether a datagram came from a port to which the socket had not sent, and from an address;
    /// nil: not tried.
    package var passesOtherPort: Bool?
    package var passesOtherAddress: Bool?

    package init() {}

    private static let tooOften = "the NAT gives other ports too often to see who gets in"

    /// What follows (RFC 4787, sections 4 and 5; RFC 5780, sections 4.3 and 4.4).
    ///
    /// The mapping is judged by sockets that nobody has sent anything to unasked. A router with
    /// Linux takes an unasked datagram for a flow of its own, which occupies the port, so that an
    /// answer of this host to it gets another port: such a NAT would look symmetric.
    package var fact: TranslationFact {
        let whole = series.filter { Set($0.mappings.map(\.door)).count > 1 }
        guard let first = whole.first, let start = first.mappings.first else {
            return .unknown("only one port of the responder answers")
        }
        let steady = whole.filter(\.isSteady)
        guard !steady.isEmpty else {
            return .unknown("the port outside changes by itself, as with a NAT that forgets")
        }
        // Another host may have the port to one of the doors: then one socket alone differs.
        let isIndependent = steady.contains { Set($0.mappings.map(\.seen)).count == 1 }
        guard isIndependent else { return .kind(.symmetric) }
        if start.seen == first.local { return .none(isFiltered: passesOtherPort.map { !$0 }) }
        let others = first.mappings.map(\.door).filter { $0 != start.door }
        let hasOtherPort = others.contains { $0.address == start.door.address }
        let hasOtherAddress = others.contains { $0.address != start.door.address }
        switch (passesOtherPort, passesOtherAddress) {
        case (nil, _):
            return .unknown(
                hasOtherPort ? Self.tooOften : "no second port of the responder answers")
        case (false, true):
            return .unknown("another address gets through to this host, but no other port")
        case (false, _): return .kind(.portRestricted)
        case (true, true): return .kind(.fullCone)
        case (true, false): return .kind(.restricted)
        case (true, nil): return hasOtherAddress ? .unknown(Self.tooOften) : .cone
        }
    }
}
