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

    /// Removes the datagrams behind one that can leave together with it: they have one sender, one
    /// destination and one length, but for the last, which may be shorter.
    ///
    /// - Parameter item: the datagram that was removed last, which is the first of those returned.
    mutating func popTrain(behind item: Item) -> [Datagram] {
        let first = item.datagram
        var train = [first]
        let length = first.payload.count
        var room = Self.trainBytes - length
        while train.count < Self.trainLength, train.last?.payload.count == length,
            let next = outgoing.last, next.outlet === item.outlet,
            next.datagram.sender == first.sender,
            next.datagram.destination == first.destination, !next.datagram.payload.isEmpty,
            next.datagram.payload.count <= min(length, room), let item = popFirst()
        {
            room -= item.datagram.payload.count
            train.append(item.datagram)
        }
        return train
    }

    /// What the kernel takes at once.
    private static let (trainLength, trainBytes) = (64, 65_000)
}
