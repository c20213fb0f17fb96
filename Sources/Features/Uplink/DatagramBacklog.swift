import LinuxKernel

/// Datagrams that were read but not forwarded yet, in order of arrival.
///
/// A socket buffer holds few datagrams where the host limits users, and a server's burst fills it
/// within a millisecond. Reading is much faster than forwarding, so nothing is lost if all sockets
/// are read first.
struct DatagramBacklog {
    /// A datagram, and the host socket that received it, unless it is from the app.
    struct Item {
        let datagram: Datagram
        let outlet: DatagramOutlet?
    }

    private var incoming: [Item] = []
    /// The older datagrams, the oldest last.
    private var outgoing: [Item] = []
    private var byteCount = 0
    /// How many of them are from the app.
    private(set) var countFromApp = 0

    /// More than any profile's queue holds.
    private static let limit = 16 << 20
    /// A datagram's memory in addition to its bytes.
    private static let overhead = 128

    var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

    /// Whether to read more.
    var hasRoom: Bool { byteCount < Self.limit }

    mutating func append(_ datagrams: [Datagram], from outlet: DatagramOutlet? = nil) {
        for datagram in datagrams {
            byteCount += Self.overhead + datagram.payload.count
            incoming.append(Item(datagram: datagram, outlet: outlet))
        }
        if outlet == nil { countFromApp += datagrams.count }
    }

    mutating func popFirst() -> Item? {
        if outgoing.isEmpty { (outgoing, incoming) = (incoming.reversed(), []) }
        guard let item = outgoing.popLast() else { return nil }
        byteCount -= Self.overhead + item.datagram.payload.count
        if item.outlet == nil { countFromApp -= 1 }
        return item
    }
}
