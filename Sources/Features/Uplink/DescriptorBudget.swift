/// Divides the file descriptors that the relay may open between connections, which take two each,
/// and sockets for datagrams.
final class DescriptorBudget {
    private let total: Int
    /// How many connections there are.
    var streams = 0
    /// How many sockets for datagrams there are.
    var flows = 0

    private static let (fewestFlows, limitOfFlows) = (4, 4096)
    /// How many sockets for datagrams can be opened whatever connections take: names are looked up
    /// by them.
    private static let reservedFlows = 64
    /// The part of all that datagrams may take.
    private static let partOfFlows = 8

    init(total: Int) {
        self.total = total
    }

    /// Whether one more connection may be opened.
    var hasRoomForStream: Bool {
        2 * (streams + 1) + max(flows, min(Self.reservedFlows, share)) <= total
    }

    /// How many sockets for datagrams there may be now.
    var mostFlows: Int { max(Self.fewestFlows, min(share, total - 2 * streams)) }

    private var share: Int {
        min(Self.limitOfFlows, max(Self.fewestFlows, total / Self.partOfFlows))
    }
}
