import LinkModel
import LinuxKernel

/// The entries of a NAT.
///
/// An entry is a flow between an endpoint inside and one outside the NAT. All entries of the same
/// endpoint inside share a port outside, unless the NAT is symmetric.
struct TranslationTable: Sendable {
    /// What has ports of its own.
    enum Transport: UInt8, Sendable, Hashable {
        case tcp, udp, echo
    }

    /// A flow, by its ends.
    struct Flow: Sendable, Hashable {
        var transport: Transport
        var inside: Endpoint
        var outside: Endpoint
    }

    private struct PortOwner: Sendable, Hashable {
        var transport: Transport
        var inside: Endpoint
        /// The other end, if the port is only for it.
        var outside: Endpoint?
    }

    private struct Port: Sendable, Hashable {
        var transport: Transport
        var number: UInt16
    }

    private struct Mapping: Sendable {
        var owner: PortOwner
        /// How many entries each host outside has.
        var hosts: [IPAddress: Int] = [:]
        var entryCount = 0
    }

    private struct Entry: Sendable {
        var port: UInt16
        /// Which ends of a TCP connection have said that they are done.
        var ended: Set<Direction> = []
    }

    /// Entries of equal lifetime, so that the oldest is the next to go.
    private enum Lifetime: CaseIterable {
        case udp, tcp, ended
    }

    private let isSymmetric: Bool
    private let capacity: Int
    private var tables: [Lifetime: RecencyTable<Flow, Entry>] = [:]
    private var ports: [PortOwner: UInt16] = [:]
    private var mappings: [Port: Mapping] = [:]
    /// Whether a port inside is kept outside if it is free.
    private var keepsPorts = true
    private var lastPort: UInt16 = 1024

    init(isSymmetric: Bool, capacity: Int) {
        self.isSymmetric = isSymmetric
        self.capacity = capacity
        keepsPorts = !isSymmetric
        for lifetime in Lifetime.allCases { tables[lifetime] = RecencyTable(capacity: capacity) }
    }

    /// The number of entries.
    var count: Int { tables.values.reduce(0) { $0 + $1.count } }

    /// Whether it has no room for another entry.
    var isFull: Bool { count >= capacity }

    private func lifetime(of flow: Flow) -> Lifetime? {
        switch flow.transport {
        case .udp, .echo: tables[.udp]?[flow] == nil ? nil : .udp
        case .tcp: [.tcp, .ended].first { tables[$0]?[flow] != nil }
        }
    }

    /// The port outside of a flow that has an entry, which is used.
    mutating func use(
        _ flow: Flow, _ direction: Direction, flags: UInt8, at now: Duration
    ) -> UInt16? {
        guard let lifetime = lifetime(of: flow), var entry = tables[lifetime]?[flow] else {
            return nil
        }
        guard flow.transport == .tcp else {
            tables[lifetime]?.touch(flow, at: now)
            return entry.port
        }
        if flags & TCPFlag.rst != 0 { entry.ended = [.up, .down] }
        if flags & TCPFlag.fin != 0 { entry.ended.insert(direction) }
        if flags & TCPFlag.opening == TCPFlag.syn { entry.ended = [] }
        let next: Lifetime = entry.ended.count == 2 ? .ended : .tcp
        if next != lifetime { tables[lifetime]?.remove(flow) }
        tables[next]?.set(entry, for: flow, at: now)
        return entry.port
    }

    /// Makes an entry for a flow that has none, and returns its port outside; nil if there is no
    /// room, or no port.
    mutating func add(_ flow: Flow, at now: Duration) -> UInt16? {
        guard !isFull else { return nil }
        let owner = PortOwner(
            transport: flow.transport, inside: flow.inside,
            outside: isSymmetric ? flow.outside : nil)
        guard let number = ports[owner] ?? freePort(for: owner) else { return nil }
        ports[owner] = number
        let port = Port(transport: flow.transport, number: number)
        mappings[port, default: Mapping(owner: owner)].hosts[flow.outside.address, default: 0] += 1
        mappings[port]?.entryCount += 1
        tables[flow.transport == .tcp ? .tcp : .udp]?.set(
            Entry(port: number), for: flow, at: now)
        return number
    }

    /// Whom a port outside belongs to, and whether that endpoint has sent to a host; nil if it is
    /// nobody's.
    func owner(
        of number: UInt16, _ transport: Transport, from host: IPAddress
    ) -> (inside: Endpoint, knowsHost: Bool)? {
        guard let mapping = mappings[Port(transport: transport, number: number)] else { return nil }
        return (mapping.owner.inside, mapping.hosts[host] != nil)
    }

    /// The port outside of an endpoint inside, as `outside` sees it.
    func port(of inside: Endpoint, _ transport: Transport, for outside: Endpoint) -> UInt16? {
        ports[
            PortOwner(
                transport: transport, inside: inside, outside: isSymmetric ? outside : nil)]
    }

    private mutating func freePort(for owner: PortOwner) -> UInt16? {
        func isFree(_ number: UInt16) -> Bool {
            mappings[Port(transport: owner.transport, number: number)] == nil
        }
        if keepsPorts, owner.inside.port >= 1024, isFree(owner.inside.port) {
            return owner.inside.port
        }
        // A step without a common divisor with the number of ports visits all of them.
        for _ in 0..<64_512 {
            lastPort = UInt16(1024 + (Int(lastPort) - 1024 + 7919) % 64_512)
            if isFree(lastPort), lastPort != owner.inside.port { return lastPort }
        }
        return nil
    }

    /// Removes the entries that were silent for longer than their time.
    mutating func removeSilent(at now: Duration, udp: Duration, tcp: Duration, ended: Duration) {
        for (lifetime, limit) in [(Lifetime.udp, udp), (.tcp, tcp), (.ended, min(tcp, ended))] {
            while let oldest = tables[lifetime]?.oldest, now - oldest.time > limit {
                remove(oldest.key, of: lifetime)
            }
        }
    }

    private mutating func remove(_ flow: Flow, of lifetime: Lifetime) {
        guard let entry = tables[lifetime]?.remove(flow) else { return }
        let port = Port(transport: flow.transport, number: entry.port)
        let host = flow.outside.address
        // In place: one port may have as many hosts as there are entries.
        if let known = mappings[port]?.hosts[host] {
            mappings[port]?.hosts[host] = known > 1 ? known - 1 : nil
        }
        mappings[port]?.entryCount -= 1
        if let mapping = mappings[port], mapping.entryCount == 0 {
            mappings[port] = nil
            ports[mapping.owner] = nil
        }
    }

    /// Removes all entries. From then on ports outside are new ones.
    mutating func removeAll() {
        for lifetime in Lifetime.allCases { tables[lifetime] = RecencyTable(capacity: capacity) }
        ports = [:]
        mappings = [:]
        keepsPorts = false
    }
}
