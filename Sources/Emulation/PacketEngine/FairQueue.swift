import DequeModule
import LinkUnits

/// FQ-CoDel (RFC 8290): one CoDel queue for each flow, served round-robin by bytes; new flows go
/// first.
struct FairQueue: Sendable {
    private static let flowCount = 1024
    private static let quantum: Int64 = 1500
    /// The most that a packet is charged, which bounds the rounds that its flow then waits.
    private static let longestPacket: UInt64 = 1 << 20
    /// The most packets of the fattest flow dropped at once; never more than half of its packets.
    private static let dropBatch = 64

    private struct Flow {
        var queue = PacketQueue()
        var codel = CoDel()
        var deficit: Int64 = 0
        var isListed = false

        mutating func dequeue(
            otherBytes: UInt64, marks: Bool, at now: Duration, drops: inout DropLog
        ) -> Packet? {
            codel.dequeue(
                from: &queue, otherBytes: otherBytes, marks: marks, at: now, drops: &drops)
        }
    }

    private var flows = [Flow](repeating: Flow(), count: flowCount)
    private var newFlows = Deque<Int>()
    private var oldFlows = Deque<Int>()
    private(set) var count = 0
    private(set) var bytes: UInt64 = 0

    mutating func append(_ packet: Packet, at arrival: Duration) {
        let index = Self.index(of: packet.flow)
        flows[index].queue.append(packet, at: arrival)
        count += 1
        bytes &+= packet.length.bytes
        guard !flows[index].isListed else { return }
        flows[index].isListed = true
        flows[index].deficit = Self.quantum
        newFlows.append(index)
    }

    /// All packets, in the order of their arrival.
    var entries: [PacketQueue.Entry] {
        // Sorting must be told to keep the order of packets of one flow that arrived together.
        flows.flatMap(\.queue.entries).enumerated()
            .sorted { ($0.element.arrival, $0.offset) < ($1.element.arrival, $1.offset) }
            .map(\.element)
    }

    /// Spreads flows over the queues, even if their numbers are consecutive.
    private static func index(of flow: UInt32) -> Int {
        Int((flow &* 0x9e37_79b1) >> 22)
    }

    /// Makes room by dropping from the head of the flow with the most bytes (section 4.1).
    mutating func dropFromFattest(at now: Duration, drops: inout DropLog) {
        var fattest = 0
        for index in flows.indices where flows[index].queue.bytes > flows[fattest].queue.bytes {
            fattest = index
        }
        let enough = flows[fattest].queue.bytes / 2
        var dropped: UInt64 = 0
        var rounds = 0
        while let entry = flows[fattest].queue.popFirst() {
            forget(entry.packet)
            drops.append(entry.packet, .queueFull, at: now)
            dropped &+= entry.packet.length.bytes
            rounds += 1
            if rounds == Self.dropBatch || dropped >= enough { break }
        }
    }

    /// Dequeues the next packet, and drops those before it that CoDel chooses.
    mutating func dequeue(marks: Bool, at now: Duration, drops: inout DropLog) -> Packet? {
        while true {
            let isNew = !newFlows.isEmpty
            guard let index = isNew ? newFlows.first : oldFlows.first else { return nil }
            if flows[index].deficit <= 0 {
                flows[index].deficit += Self.quantum
                move(index, isNew: isNew)
                continue
            }
            guard let packet = dequeue(from: index, marks: marks, at: now, drops: &drops) else {
                // Section 4.2: an empty new flow waits one round, or it would return as new at
                // once.
                if isNew, !oldFlows.isEmpty {
                    move(index, isNew: true)
                } else {
                    unlist(index, isNew: isNew)
                }
                continue
            }
            flows[index].deficit -= Int64(min(packet.length.bytes, Self.longestPacket))
            return packet
        }
    }

    private mutating func dequeue(
        from index: Int, marks: Bool, at now: Duration, drops: inout DropLog
    ) -> Packet? {
        let countBefore = flows[index].queue.count
        let bytesBefore = flows[index].queue.bytes
        let packet = flows[index].dequeue(
            otherBytes: bytes &- bytesBefore, marks: marks, at: now, drops: &drops)
        count -= countBefore - flows[index].queue.count
        bytes &-= bytesBefore &- flows[index].queue.bytes
        return packet
    }

    private mutating func forget(_ packet: Packet) {
        count -= 1
        bytes &-= packet.length.bytes
    }

    private mutating func move(_ index: Int, isNew: Bool) {
        _ = isNew ? newFlows.popFirst() : oldFlows.popFirst()
        oldFlows.append(index)
    }

    private mutating func unlist(_ index: Int, isNew: Bool) {
        _ = isNew ? newFlows.popFirst() : oldFlows.popFirst()
        flows[index].isListed = false
    }
}
