import DequeModule

/// The dropped packets, in the order in which they were dropped.
struct DropLog: Sendable {
    private var events = Deque<PacketEvent>()
    private(set) var queueFull: UInt64 = 0
    private(set) var managed: UInt64 = 0
    private(set) var lost: UInt64 = 0

    var nextTime: Duration? { events.first?.time }

    mutating func append(_ packet: Packet, _ verdict: Verdict, at time: Duration) {
        switch verdict {
        case .queueFull: queueFull += 1
        case .managed: managed += 1
        case .lost: lost += 1
        case .delivered, .corrupted: break
        }
        events.append(PacketEvent(slot: packet.slot, verdict: verdict, time: time))
    }

    mutating func removeFirst() -> PacketEvent { events.removeFirst() }
}
