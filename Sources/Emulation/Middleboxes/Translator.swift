import LinkModel
import LinuxKernel

/// One NAT in virtual time: endpoints inside on one side, ports of one address on the other.
struct Translator: Sendable {
    /// How long the entry of a TCP connection stays after its end, for late segments.
    static let afterlife = Duration.seconds(10)

    /// What it does.
    private(set) var rules: AddressTranslation
    /// Its address outside.
    let address: IPAddress
    /// How often it has forgotten entries by intention.
    private(set) var rebindings: UInt64 = 0
    private var table: TranslationTable
    private var nextRebinding: Duration?

    init(_ rules: AddressTranslation, address: IPAddress, at now: Duration) {
        self.rules = rules
        self.address = address
        table = TranslationTable(isSymmetric: rules.kind == .symmetric, capacity: rules.table)
        nextRebinding = rules.rebind.map { now + $0 }
    }

    /// The number of its entries.
    var entryCount: Int { table.count }

    /// Changes what it does. The entries stay if they can mean the same.
    mutating func change(to rules: AddressTranslation, at now: Duration) {
        let isSame =
            (rules.kind == .symmetric) == (self.rules.kind == .symmetric)
            && rules.table == self.rules.table
        if !isSame {
            table = TranslationTable(isSymmetric: rules.kind == .symmetric, capacity: rules.table)
        }
        if rules.rebind != self.rules.rebind { nextRebinding = rules.rebind.map { now + $0 } }
        self.rules = rules
    }

    /// Forgets what is due, and returns when that was by intention, and how many entries it was.
    @discardableResult
    mutating func advance(to now: Duration) -> (time: Duration, entries: Int)? {
        table.removeSilent(
            at: now, udp: rules.udpTimeout, tcp: rules.tcpTimeout, ended: Self.afterlife)
        guard let due = nextRebinding, let interval = rules.rebind, now >= due else { return nil }
        let missed = Int64((now - due) / interval)
        nextRebinding = due + interval * (missed + 1)
        let entries = table.count
        table.removeAll()
        guard entries > 0 else { return nil }
        rebindings += 1
        return (due, entries)
    }

    /// The sender of a packet as it leaves; its flow gets an entry.
    mutating func leaving(
        _ flow: TranslationTable.Flow, flags: UInt8, at now: Duration
    ) -> Result<Endpoint, Untranslated> {
        if let port = table.use(flow, .up, flags: flags, at: now) {
            return .success(Endpoint(address, port: port))
        }
        guard let port = table.add(flow, at: now) else { return .failure(.tableFull) }
        return .success(Endpoint(address, port: port))
    }

    /// The receiver of a packet that arrives at a port of its address.
    mutating func arriving(
        at port: UInt16, _ transport: TranslationTable.Transport, from sender: Endpoint,
        flags: UInt8, at now: Duration
    ) -> Result<Endpoint, Untranslated> {
        guard let owner = table.owner(of: port, transport, from: sender.address) else {
            return .failure(.unmapped)
        }
        let flow = TranslationTable.Flow(
            transport: transport, inside: owner.inside, outside: sender)
        if let own = table.use(flow, .down, flags: flags, at: now) {
            // A symmetric NAT may have another port for this sender.
            return own == port ? .success(owner.inside) : .failure(.unmapped)
        }
        switch rules.kind {
        case .fullCone: break
        case .restricted where owner.knowsHost: break
        case .restricted, .portRestricted, .symmetric: return .failure(.unmapped)
        }
        return table.add(flow, at: now) == nil ? .failure(.tableFull) : .success(owner.inside)
    }

    /// Whom a port outside belongs to, for errors about its packets.
    func owner(of port: UInt16, _ transport: TranslationTable.Transport, _ host: IPAddress)
        -> Endpoint?
    {
        table.owner(of: port, transport, from: host).flatMap { $0.knowsHost ? $0.inside : nil }
    }

    /// The port outside that `outside` knows of an endpoint inside, for errors about its packets.
    func alias(
        of inside: Endpoint, _ transport: TranslationTable.Transport, for outside: Endpoint
    ) -> Endpoint? {
        table.port(of: inside, transport, for: outside).map { Endpoint(address, port: $0) }
    }
}

/// Why a packet has no translation.
enum Untranslated: Error, Hashable, Sendable {
    /// No entry lets it in.
    case unmapped
    /// There is no room for its entry.
    case tableFull
}
