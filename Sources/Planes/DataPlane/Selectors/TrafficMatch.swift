import LinuxKernel

/// A protocol above IP.
public enum TransportProtocol: String, Sendable, Hashable, CaseIterable {
    case tcp, udp
    /// ICMP with IPv4, ICMPv6 with IPv6.
    case icmp

    /// Parses the value of `option`.
    init(_ text: String, option: String) throws(SelectorError) {
        guard let known = Self(rawValue: text.lowercased()) else {
            let hint =
                text.lowercased().hasPrefix("icmp")
                ? "icmp stands for ICMPv6 too" : "there are tcp, udp and icmp"
            throw SelectorError(option, text, "is not a protocol that can be chosen; \(hint)")
        }
        self = known
    }

    /// The protocol number in the headers of a family.
    func number(in family: AddressFamily) -> UInt8 {
        switch self {
        case .tcp: 6
        case .udp: 17
        case .icmp: family == .ipv4 ? 1 : 58
        }
    }
}

/// Which packets match: values of one kind are alternatives, and one value of each given kind must
/// match. Without any value every packet matches.
///
/// *to* and *from* are seen from the interface, and so serve both directions: *to* is the end
/// reached through the interface, the destination of outgoing and the source of incoming packets;
/// *from* is the other end, usually this host.
public struct TrafficMatch: Sendable, Hashable {
    /// The end that is reached through the interface.
    public var to: [IPNetwork] = []
    /// Names of hosts at that end.
    public var toNames: [HostName] = []
    /// The near end.
    public var from: [IPNetwork] = []
    /// A port at either end.
    public var ports: [PortRange] = []
    /// The port at the end that is reached through the interface.
    public var toPorts: [PortRange] = []
    /// The port at the near end.
    public var fromPorts: [PortRange] = []
    /// The protocol above IP.
    public var protocols: [TransportProtocol] = []
    /// The user whose program has the socket at the near end.
    public var users: [UserID] = []
    /// The control group in which that socket was opened.
    public var groups: [ControlGroup] = []
    /// The name of the program that has it.
    public var processes: [ProcessName] = []

    /// Makes a match for every packet.
    public init() {}

    /// Whether every packet matches.
    public var isEverything: Bool { self == TrafficMatch() }

    /// Whether it needs a port, so that only TCP and UDP can match.
    public var hasPorts: Bool { !(ports.isEmpty && toPorts.isEmpty && fromPorts.isEmpty) }

    /// Whether it matters whose packets they are.
    public var hasOwners: Bool { !(users.isEmpty && groups.isEmpty && processes.isEmpty) }

    /// The protocols that can match; nil for all, including those without a name here.
    public var possibleProtocols: [TransportProtocol]? {
        protocols.isEmpty ? (hasPorts ? [.tcp, .udp] : nil) : protocols
    }

    /// Whether packets of the family can match.
    public func concerns(_ family: AddressFamily) -> Bool {
        func areOf(_ networks: [IPNetwork]) -> Bool {
            networks.isEmpty || networks.contains { $0.family == family }
        }
        return areOf(from) && (!toNames.isEmpty || areOf(to))
    }

    /// Whether a packet may match both.
    public func overlaps(_ other: TrafficMatch) -> Bool {
        func meet<Value>(
            _ key: KeyPath<TrafficMatch, [Value]>, _ isCommon: (Value, Value) -> Bool
        ) -> Bool {
            let (mine, others) = (self[keyPath: key], other[keyPath: key])
            return mine.isEmpty || others.isEmpty
                || mine.contains { value in others.contains { isCommon(value, $0) } }
        }
        // What addresses a name will have nobody knows.
        let mayMeet = !toNames.isEmpty || !other.toNames.isEmpty
        guard mayMeet || meet(\.to, { $0.overlaps($1) }), meet(\.from, { $0.overlaps($1) }),
            meet(\.toPorts, { $0.overlaps($1) }), meet(\.fromPorts, { $0.overlaps($1) }),
            meet(\.users, ==), meet(\.processes, ==), meet(\.groups, { $0.overlaps($1) })
        else { return false }
        guard let mine = possibleProtocols, let others = other.possibleProtocols else {
            return true
        }
        return !Set(mine).isDisjoint(with: others)
    }
}

extension TrafficMatch {
    /// The kinds of values, by their names in options and texts.
    enum Kind: String, CaseIterable {
        case to, from, port
        case toPort = "to-port"
        case fromPort = "from-port"
        case `protocol`
        case user
        case group = "cgroup"
        case process

        /// Whose traffic it is, which exceptions cannot say.
        fileprivate var isOwner: Bool { [.user, .group, .process].contains(self) }
    }

    /// Adds the value of `option`.
    mutating func add(_ kind: Kind, _ value: String, option: String) throws(SelectorError) {
        switch kind {
        case .to:
            if IPAddress(value) == nil, let name = HostName(value) {
                toNames.append(name)
            } else {
                to.append(try IPNetwork(value, option: option))
            }
        case .from: from.append(try IPNetwork(value, option: option))
        case .port: ports.append(try PortRange(value, option: option))
        case .toPort: toPorts.append(try PortRange(value, option: option))
        case .fromPort: fromPorts.append(try PortRange(value, option: option))
        case .protocol: protocols.append(try TransportProtocol(value, option: option))
        case .user: users.append(try UserID(value, option: option))
        case .group: groups.append(try ControlGroup(value, option: option))
        case .process: processes.append(try ProcessName(value, option: option))
        }
    }

    /// Parses an exception, such as `port=22` or `to=192.0.2.0/24,protocol=udp`.
    public init(exception text: String) throws(SelectorError) {
        try self.init(text: text, option: "--except")
        guard toNames.isEmpty else {
            throw SelectorError(
                "--except", text,
                "names can be chosen, with --to, but not be excepted; give addresses (getent ahosts "
                    + "NAME)")
        }
        guard !hasOwners else {
            throw SelectorError(
                "--except", text,
                "users, control groups and programs can be chosen, with --user, --cgroup and "
                    + "--process, but not be excepted")
        }
    }

    /// Parses a `text` that is the value of `option`.
    init(text: String, option: String) throws(SelectorError) {
        self.init()
        let kinds = Kind.allCases.filter { !$0.isOwner }.map(\.rawValue).joined(separator: ", ")
        for field in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard !field.isEmpty else {
                throw SelectorError(
                    option, "\"\(text)\"",
                    "names nothing; write KIND=VALUE with one of \(kinds), as in port=22")
            }
            let parts = field.split(maxSplits: 1) { $0 == "=" || $0 == " " }
            let name = parts.first.map(String.init) ?? ""
            guard let kind = Kind(rawValue: name) else {
                throw SelectorError(
                    option, text,
                    "\(name.isEmpty ? "something" : name) is no kind of exception; write KIND=VALUE "
                        + "with one of \(kinds), as in port=22")
            }
            guard parts.count == 2 else {
                throw SelectorError(option, text, "\(name) has no value; write it like port=22")
            }
            do {
                let value = String(parts[1])
                if kind == .process {
                    processes.append(try ProcessName(encoded: value, option: name))
                } else {
                    try add(kind, value, option: name)
                }
            } catch {
                throw SelectorError(option, text, "\(error)")
            }
        }
        if let problem { throw SelectorError(option, text, problem) }
    }

    /// All values with their kinds.
    var fields: [(kind: Kind, value: String)] {
        let kinds: [(Kind, [String])] = [
            (.to, to.map(\.description) + toNames.map(\.description)),
            (.from, from.map(\.description)),
            (.port, ports.map(\.description)), (.toPort, toPorts.map(\.description)),
            (.fromPort, fromPorts.map(\.description)), (.protocol, protocols.map(\.rawValue)),
            (.user, users.map(\.description)), (.group, groups.map(\.description)),
            (.process, processes.map(\.description)),
        ]
        return kinds.flatMap { kind, values in values.map { (kind, $0) } }
    }

    /// The text that `init(text:option:)` parses.
    public var text: String {
        let values =
            fields.filter { $0.kind != .process }.map { ($0.kind, $0.value) }
            + processes.map { (.process, $0.encoded) }
        return values.map { "\($0.rawValue)=\($1)" }.joined(separator: ",")
    }

    /// Why no packet can match, or nil.
    var problem: String? {
        if hasPorts, protocols.contains(.icmp) {
            return "icmp has no ports; choose it with another --name, or leave the ports out"
        }
        guard AddressFamily.allCases.contains(where: concerns) else {
            return "no packet goes between IPv4 and IPv6; give both ends of the same version"
        }
        return nil
    }
}
