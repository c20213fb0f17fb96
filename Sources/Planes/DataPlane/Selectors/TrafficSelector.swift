public import LinuxKernel

/// Which traffic of an interface is conditioned; all other traffic is unaffected.
///
/// Chooses what `included` matches, except what an exception matches. An ICMP error (unreachable,
/// time exceeded, too big) is treated like the packet that it is about. Only the first fragment of
/// a datagram has ports: where ports decide, only that fragment is conditioned, and the others have
/// to wait for it.
public struct TrafficSelector: Sendable, Hashable {
    /// Only this IP version; nil for both.
    public var family: AddressFamily?
    /// What must match.
    public var included: TrafficMatch
    /// What must not match; each of them alone exempts a packet.
    public var exceptions: [TrafficMatch]
    /// The addresses that its names had when they were last looked up.
    public var addresses: [HostName: [IPAddress]] = [:]

    /// Makes a selector, by default for all traffic.
    public init(
        family: AddressFamily? = nil, included: TrafficMatch = TrafficMatch(),
        exceptions: [TrafficMatch] = []
    ) {
        self.family = family
        self.included = included
        self.exceptions = exceptions
    }

    /// All traffic.
    public static let everything = TrafficSelector()

    /// Whether it chooses only some traffic, apart from exceptions.
    ///
    /// Such conditions take precedence where an interface has several.
    public var isSelective: Bool { family != nil || !included.isEverything }

    /// Whether it chooses by whose the packets are.
    public var choosesOwners: Bool { included.hasOwners }

    /// Whether it chooses by names, whose addresses may change.
    public var hasNames: Bool { !included.toNames.isEmpty }

    /// The IP versions of packets that can be chosen.
    public var families: [AddressFamily] {
        AddressFamily.allCases.filter { $0 == family ?? $0 && included.concerns($0) }
    }

    /// Whether a fragment without ports may belong to an exception, so that only first fragments
    /// are chosen. TCP avoids fragments, and needs no such care.
    var exceptsPortsOfDatagrams: Bool {
        exceptions.contains { exception in
            exception.hasPorts && exception.possibleProtocols?.contains(.udp) ?? true
        }
    }

    /// Whether both may choose the same packet, apart from their exceptions.
    public func overlaps(_ other: TrafficSelector) -> Bool {
        !Set(families).isDisjoint(with: other.families) && included.overlaps(other.included)
    }

    /// Throws if it can choose no packet.
    public func check() throws(SelectorError) {
        if let problem = included.problem {
            throw SelectorError(
                included.hasPorts && included.protocols.contains(.icmp)
                    ? "--protocol icmp" : "--to and --from", nil, problem)
        }
        guard families.isEmpty, let family else { return }
        throw SelectorError(
            "--family \(family.rawValue)", nil,
            "contradicts the addresses of --to and --from; leave it out")
    }
}

extension TrafficSelector {
    /// Parses the values of the command-line options.
    public init(
        family: AddressFamily? = nil, to: [String] = [], from: [String] = [], ports: [String] = [],
        toPorts: [String] = [], fromPorts: [String] = [], protocols: [String] = [],
        users: [String] = [], groups: [String] = [], processes: [String] = [],
        exceptions: [String] = []
    ) throws(SelectorError) {
        self.init(family: family)
        let values: [(TrafficMatch.Kind, [String])] = [
            (.to, to), (.from, from), (.port, ports), (.toPort, toPorts), (.fromPort, fromPorts),
            (.protocol, protocols), (.user, users), (.group, groups), (.process, processes),
        ]
        for (kind, texts) in values {
            for text in texts { try included.add(kind, text, option: "--\(kind.rawValue)") }
        }
        guard included.processes.count <= ProcessName.mostAtOnce else {
            throw SelectorError(
                "--process", nil,
                "at most \(ProcessName.mostAtOnce) names can be chosen at once; --user and --cgroup "
                    + "choose many programs by one value")
        }
        for text in exceptions { self.exceptions.append(try TrafficMatch(exception: text)) }
        try check()
    }

    /// The equivalent command-line options.
    public var commandLine: [String] {
        (family.map { ["--family \($0.rawValue)"] } ?? [])
            + included.fields.map { "--\($0.kind.rawValue) \($0.value)" }
            + exceptions.map { "--except \($0.text)" }
    }

    /// A word without blanks, for marks; empty for all traffic, and beginning with `;` if there are
    /// exceptions only.
    public var text: String {
        let chosen =
            (family.map { ["family=\($0.rawValue)"] } ?? [])
            + (included.isEverything ? [] : [included.text])
        return ([chosen.joined(separator: ",")] + exceptions.map(\.text)).joined(separator: ";")
    }

    /// Parses a `text`; nil for anything else.
    public init?(text: String) {
        self.init()
        guard !text.isEmpty else { return }
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        var chosen = parts[0].split(separator: ",", omittingEmptySubsequences: false)
        if let first = chosen.first, first.hasPrefix("family=") {
            guard let family = AddressFamily(rawValue: String(first.dropFirst(7))) else {
                return nil
            }
            self.family = family
            chosen.removeFirst()
        }
        do {
            let rest = chosen.joined(separator: ",")
            if !rest.isEmpty { included = try TrafficMatch(text: rest, option: "") }
            exceptions = try parts.dropFirst().map { (part) throws(SelectorError) in
                try TrafficMatch(exception: String(part))
            }
        } catch {
            return nil
        }
    }
}
