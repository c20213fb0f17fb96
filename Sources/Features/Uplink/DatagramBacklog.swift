import LinuxKernel

/// Datagrams that were read and not yet sent on, in the order in which they came.
///
/// A socket holds few datagrams where the host allows its users no more, and a server that answers
/// with a burst fills it within a millisecond. Reading is so much faster than sending on that
/// nothing is lost if all sockets are read first.
struct DatagramBacklog {
    /// A datagram, and by which socket of the host it came, if not from the app.
    struct Item {
        let datagram: Datagram
        let outlet: DatagramOutlet?
    }

    private var incoming: [Item] = []
    /// The older ones, the oldest last.
    private var outgoing: [Item] = []
    private var byteCount = 0
    /// How many of them the app has sent.
    private(set) var countFromApp = 0

    /// More than the queue of any profile holds.
    private static let limit = 16 << 20
    /// What a datagram takes beside its bytes.
    private static let overhead = 128

    var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

    /// Whether more should be read.
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
