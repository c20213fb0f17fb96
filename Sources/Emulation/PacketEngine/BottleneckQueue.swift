import LinkModel
import LinkUnits

/// The queue in front of the bottleneck, and its drop policy.
///
/// Each policy is a stored property rather than the payload of an enum: extracting a payload to
/// change it would copy the packets.
struct BottleneckQueue: Sendable {
    private var management: QueueManagement
    /// Whether to mark packets instead of dropping them, where the policy allows both.
    private var marks: Bool
    private var capacity: QueueCapacity
    private var plain = PacketQueue()
    private var fair: FairQueue?
    private var codel = CoDel()
    private var pie = PIE()
    private var random: RandomStream

    init(
        _ management: QueueManagement, marks: Bool, capacity: QueueCapacity, random: RandomStream
    ) {
        self.management = management
        self.marks = marks
        self.capacity = capacity
        self.random = random
        if management == .fqCodel { fair = FairQueue() }
    }

    var count: Int { fair?.count ?? plain.count }
    var bytes: UInt64 { fair?.bytes ?? plain.bytes }
    var isEmpty: Bool { count == 0 }

    /// Enqueues a packet, or drops it or others.
    ///
    /// With drop-tail the packet in transmission counts as queued, as in netem; an AQM counts only
    /// waiting packets, as its qdiscs do behind their shaper.
    mutating func enqueue(
        _ packet: Packet, behind inService: Packet?, at now: Duration, drops: inout DropLog
    ) {
        switch management {
        case .dropTail:
            guard
                capacity.admits(
                    packet, behind: plain.count + (inService == nil ? 0 : 1),
                    bytes: plain.bytes &+ (inService?.length.bytes ?? 0))
            else {
                drops.append(packet, .queueFull, at: now)
                return
            }
            plain.append(packet, at: now)
        case .codel, .pie:
            guard capacity.admits(packet, behind: plain.count, bytes: plain.bytes) else {
                drops.append(packet, .queueFull, at: now)
                return
            }
            var packet = packet
            if management == .pie, pie.dropsArrival(before: plain, at: now, random: &random),
                !(marks && pie.mayMark && packet.mark())
            {
                drops.append(packet, .managed, at: now)
                return
            }
            plain.append(packet, at: now)
        case .fqCodel:
            fair?.append(packet, at: now)
            while capacity.isExceeded(by: count, bytes: bytes) {
                fair?.dropFromFattest(at: now, drops: &drops)
            }
        }
    }

    /// Dequeues the packet whose transmission starts now, and drops those that an AQM chooses.
    mutating func dequeue(at now: Duration, drops: inout DropLog) -> Packet? {
        switch management {
        case .dropTail: return plain.popFirst()?.packet
        case .codel: return codel.dequeue(from: &plain, marks: marks, at: now, drops: &drops)
        case .fqCodel: return fair?.dequeue(marks: marks, at: now, drops: &drops)
        case .pie:
            guard let entry = plain.popFirst() else { return nil }
            pie.packetLeaves(after: now - entry.arrival, at: now, isLast: plain.isEmpty)
            return entry.packet
        }
    }

    /// Changes the management and capacity. No packet is lost, even above the new capacity.
    mutating func change(to management: QueueManagement, marks: Bool, capacity: QueueCapacity) {
        (self.capacity, self.marks) = (capacity, marks)
        guard management != self.management else { return }
        self.management = management
        codel = CoDel()
        pie = PIE()
        if let old = fair {
            fair = nil
            for entry in old.entries { plain.append(entry.packet, at: entry.arrival) }
        } else if management == .fqCodel {
            var new = FairQueue()
            while let entry = plain.popFirst() { new.append(entry.packet, at: entry.arrival) }
            fair = new
        }
    }
}
