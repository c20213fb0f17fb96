import LinkModel
import LinkUnits
import LinuxKernel

/// What the facts mean.
extension NetworkFacts {
    package var findings: [NetworkFinding] {
        NetworkFinding.Check.allCases.map { check in
            switch check {
            case .addresses: addressFinding
            case .nameServer: resolver.serverFinding
            case .wrongAnswers: resolver.truthFinding
            case .nat64: translationPrefixFinding
            case .portal: portalFinding
            case .responder: responderFinding
            case .udp: datagramFinding
            case .quic: quicFinding
            case .tcp: streamFinding
            case .nat: translationFinding
            case .natRebinding: rebindingFinding
            case .mss: segmentFinding
            case .mtuUp: sizeFinding(.mtuUp, upSize)
            case .mtuDown: sizeFinding(.mtuDown, downSize)
            }
        }
    }

    private var addressFinding: NetworkFinding {
        switch (hasIPv4, hasIPv6) {
        case (true, true): .init(.addresses, .ok, "dual", "routes for IPv4 and IPv6")
        case (true, false): .init(.addresses, .ok, "ipv4", "routes for IPv4 only")
        case (false, true): .init(.addresses, .notable, "ipv6", "routes for IPv6 only")
        case (false, false):
            .init(.addresses, .notable, "none", "no route leads out of this host")
        }
    }

    private var translationPrefixFinding: NetworkFinding {
        guard resolver.server != nil else { return .unknown(.nat64, "no name server is known") }
        if let prefix = resolver.prefix {
            let rest = hasIPv4 ? "; this host has IPv4, too" : ", and this host has no IPv4"
            return .init(
                .nat64, .notable, "present", "IPv4 is reached through \(prefix)\(rest) (RFC 7050)")
        }
        switch resolver.knownIPv6 {
        case .empty, .unknownName, .addresses:
            return .init(
                .nat64, .ok, "absent", "\(ResolverFacts.knownName) has no IPv6 address of a NAT64")
        default:
            return .unknown(
                .nat64, "the name server does not say what \(ResolverFacts.knownName) is")
        }
    }

    private var portalFinding: NetworkFinding {
        switch portal {
        case .none: .init(.portal, .ok, "none", "\(PortalFact.name) says what it always does")
        case .redirect(let place):
            .init(
                .portal, .notable, "redirect",
                "\(PortalFact.name) leads to \(place.isEmpty ? "another page" : place)")
        case .other(let status):
            .init(
                .portal, .notable, "other-content",
                "\(PortalFact.name) says something else than always, with status \(status)")
        case .nothing(let why): .init(.portal, .notable, "no-answer", "\(PortalFact.name): \(why)")
        case .unknown(let why): .unknown(.portal, why)
        }
    }

    private var responderFinding: NetworkFinding {
        switch responder {
        case .reached(let endpoint, let program):
            .init(.responder, .ok, "reached", "\(endpoint), linkcond \(program)")
        case .absent(let why):
            .unknown(.responder, portal.isPortal ? "the portal lets nobody through: \(why)" : why)
        }
    }

    private var isReached: Bool {
        if case .reached = responder { return true }
        return false
    }

    private static let unreached = "no responder answers"
    /// It was there at first.
    static let brokenOff = "the responder did not answer to the end"

    /// Why something was not asked that needs the responder.
    private var obstacle: String { isReached ? Self.brokenOff : Self.unreached }

    private var datagramFinding: NetworkFinding {
        guard let main = datagrams.first else { return .unknown(.udp, obstacle) }
        let closed = datagrams.filter { $0.passage.answer != nil && $0.port != 443 }
        switch main.passage {
        case .passes where closed.isEmpty: return .init(.udp, .ok, "passes", "gets there and back")
        case .passes:
            return .init(
                .udp, .notable, "partly-blocked", answer: closed[0].passage.answer,
                "to port \(main.port) it passes, to \(Self.ports(closed)) it does not; "
                    + closed[0].passage.told)
        case .outward:
            return .init(
                .udp, .notable, "outward-only", "gets there, but what comes back is lost")
        case .otherAddress:
            return .init(
                .udp, .notable, "other-address",
                "leaves by another address than TCP, so the responder does not answer")
        case .blocked(let answer):
            return .init(
                .udp, .notable, "blocked", answer: answer, "does not pass; \(main.passage.told)")
        case .unknown(let why): return .unknown(.udp, why)
        }
    }

    private var quicFinding: NetworkFinding {
        guard let main = datagrams.first else { return .unknown(.quic, obstacle) }
        guard main.passage == .passes else {
            return .unknown(.quic, "UDP does not pass, so QUIC does not either")
        }
        guard longDatagrams == .passes, let quic else {
            return .unknown(.quic, "datagrams of 1,200 bytes do not pass, whatever they are")
        }
        let secure = datagrams.first { $0.port == 443 }?.passage
        switch (quic, secure) {
        case (.passes, nil):
            return .init(
                .quic, .ok, "passes",
                "its first packet passes to port \(main.port); the responder cannot have port 443")
        case (.passes, .passes?):
            return .init(.quic, .ok, "passes", "its first packet passes, and so does port 443")
        case (.passes, let other?):
            return .init(
                .quic, .notable, "port-blocked", answer: other.answer,
                "UDP to port 443 does not pass; \(other.told)")
        case (let passage, _):
            return .init(
                .quic, .notable, "blocked", answer: passage.answer,
                "its first packet does not pass, other UDP does; \(passage.told)")
        }
    }

    private var streamFinding: NetworkFinding {
        guard let streams else { return .unknown(.tcp, obstacle) }
        guard !streams.isEmpty else {
            return .unknown(.tcp, "the responder could open no port besides its own")
        }
        let closed = streams.filter { $0.passage.answer != nil }
        guard let first = closed.first else {
            return .init(.tcp, .ok, "passes", "to \(Self.ports(streams)) it passes, too")
        }
        return .init(
            .tcp, .notable, "partly-blocked", answer: first.passage.answer,
            "to the responder's port it passes, to \(Self.ports(closed)) it does not; "
                + first.passage.told)
    }

    private static func ports(_ passages: [PortPassage]) -> String {
        let numbers = passages.map { "\($0.port)" }
        return numbers.count == 1
            ? "port \(numbers[0])"
            : "ports \(numbers.dropLast().joined(separator: ", ")) and \(numbers.last ?? "")"
    }

    private var translationFinding: NetworkFinding {
        switch translation {
        case .none(nil):
            .init(.nat, .ok, "none", "the responder sees this host's own address and port")
        case .none(false?):
            .init(
                .nat, .ok, "none",
                "the responder sees this host's own address, and everybody reaches it")
        case .none(true?):
            .init(
                .nat, .notable, "filtered",
                "no NAT, but only who was sent to may answer, as with a stateful firewall")
        case .kind(.fullCone):
            .init(.nat, .notable, "full-cone", "one port outside, by which everybody gets in")
        case .kind(.restricted):
            .init(
                .nat, .notable, "restricted",
                "one port outside, by which hosts get in to which this one has sent")
        case .kind(.portRestricted):
            .init(
                .nat, .notable, "port-restricted",
                "one port outside, by which ports get in to which this host has sent")
        case .kind(.symmetric):
            .init(
                .nat, .notable, "symmetric",
                "another port outside for everybody to whom this host sends")
        case .cone:
            .init(
                .nat, .notable, "cone",
                "full-cone or restricted: the responder has no second address to tell them apart")
        case .unknown(let why): .unknown(.nat, why)
        }
    }

    private var rebindingFinding: NetworkFinding {
        switch rebinding {
        case .none:
            .init(.natRebinding, .ok, "none", "the port that the responder sees stays the same")
        case .every(let interval):
            .init(
                .natRebinding, .notable, "rebinds",
                "another port outside about every \(interval.unitText); it breaks TCP connections")
        case .once:
            .init(
                .natRebinding, .notable, "changed",
                "the port outside changed once: by itself, or after a pause of seconds")
        case .unknown(let why): .unknown(.natRebinding, why)
        }
    }

    private var segmentFinding: NetworkFinding {
        let ways = [("up", upSegment), ("down", downSegment)].compactMap { way, segment in
            segment.map { (way, $0) }
        }
        guard let first = ways.first else {
            return .unknown(
                .mss, isReached ? "the kernels do not tell the segment sizes" : Self.unreached)
        }
        guard let smallest = clampedSegment else {
            return .init(
                .mss, .ok, "unchanged", bytes: first.1.arrived,
                "what both ends announce arrives: \(first.1.arrived) bytes")
        }
        let texts = ways.filter(\.1.isClamped).map { way, segment in
            "\(way): \(segment.announced) bytes announced, \(segment.arrived) arrived"
        }
        return .init(
            .mss, .notable, "clamped", bytes: smallest, texts.joined(separator: "; "))
    }

    private func sizeFinding(_ check: NetworkFinding.Check, _ size: PacketSize?) -> NetworkFinding {
        guard let size else {
            let why =
                if datagrams.isEmpty {
                    obstacle
                } else if datagrams.first?.passage != .passes {
                    "UDP does not pass"
                } else if rebinding.interval != nil {
                    "the NAT gives other ports in the middle of the measurement"
                } else {
                    "the measurement did not come to an end"
                }
            return .unknown(check, why)
        }
        guard !size.isFull else {
            return .init(check, .ok, "full", bytes: size.bytes, "packets of 1,500 bytes pass")
        }
        return size.isTold
            ? .init(
                check, .notable, "told", bytes: size.bytes,
                "\(size.bytes) bytes; senders of more are told by ICMP")
            : .init(
                check, .notable, "black-hole", bytes: size.bytes,
                "\(size.bytes) bytes; larger packets vanish, and nobody is told")
    }
}

extension Passage {
    /// What a sender learns of what does not pass; nil if it passes, or is not known to be blocked.
    var answer: Firewall.Answer? {
        if case .blocked(let answer) = self { return answer }
        return nil
    }

    fileprivate var told: String {
        switch answer {
        case .drop?: "nothing is answered"
        case .reset?: "the answer is a reset, or \"port unreachable\""
        case .icmp?: "the answer is ICMP"
        case nil: "it is not known why"
        }
    }
}
