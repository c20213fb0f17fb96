import DequeModule
import LinkUnits

/// Packets queued in order of arrival.
struct PacketQueue: Sendable {
    struct Entry {
        var packet: Packet
        var arrival: Duration
    }

    private(set) var entries = Deque<Entry>()
    /// The bytes of all packets together.
    private(set) var bytes: UInt64 = 0

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    mutating func append(_ packet: Packet, at arrival: Duration) {
        entries.append(Entry(packet: packet, arrival: arrival))
        bytes &+= packet.length.bytes
    }

    mutating func popFirst() -> Entry? {
        guard let entry = entries.popFirst() else { return nil }
        bytes &-= entry.packet.length.bytes
        return entry
    }
}
