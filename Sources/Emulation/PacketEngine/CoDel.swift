import LinkUnits

/// Controlled delay (RFC 8289): drops at the head when the queueing delay stays too long.
///
/// If asked for, packets that can be marked are marked instead, on the same schedule (as in Linux).
/// As in Linux the target does not grow at low rates.
struct CoDel: Sendable {
    private static let target = Duration.milliseconds(5)
    private static let interval = Duration.milliseconds(100)
    /// A queue of less than one full packet is never too long.
    private static let fullPacket: UInt64 = 1500

    /// When the queueing delay will have been above the target for an interval; nil while below.
    private var patienceEnds: Duration?
    private var isDropping = false
    private var nextDrop = Duration.zero
    /// Drops since the dropping state was entered, and that number at its last entry.
    private var count: UInt64 = 0
    private var lastCount: UInt64 = 0

    /// Dequeues the next packet to pass, and drops those before it as needed; `marks` says whether
    /// packets are marked instead where possible.
    ///
    /// `otherBytes` is the backlog of other queues of the same link (FQ-CoDel; as Linux counts).
    mutating func dequeue(
        from queue: inout PacketQueue, otherBytes: UInt64 = 0, marks: Bool = false,
        at now: Duration, drops: inout DropLog
    ) -> Packet? {
        guard var entry = queue.popFirst() else {
            isDropping = false
            return nil
        }
        var isTooLate = hasWaitedTooLong(entry, bytesBehind: queue.bytes &+ otherBytes, at: now)
        if isDropping {
            if !isTooLate {
                isDropping = false
            }
            while isDropping, now >= nextDrop {
                count += 1
                if marks, entry.packet.mark() {
                    nextDrop = Self.controlLaw(nextDrop, count)
                    break
                }
                drops.append(entry.packet, .managed, at: now)
                guard let following = queue.popFirst() else {
                    isDropping = false
                    return nil
                }
                entry = following
                isTooLate = hasWaitedTooLong(
                    entry, bytesBehind: queue.bytes &+ otherBytes, at: now)
                if isTooLate {
                    nextDrop = Self.controlLaw(nextDrop, count)
                } else {
                    isDropping = false
                }
            }
        } else if isTooLate {
            startDropping(at: now)
            if marks, entry.packet.mark() { return entry.packet }
            drops.append(entry.packet, .managed, at: now)
            guard let following = queue.popFirst() else { return nil }
            entry = following
            _ = hasWaitedTooLong(entry, bytesBehind: queue.bytes &+ otherBytes, at: now)
        }
        return entry.packet
    }

    /// RFC 8289, section 5.5: resumes the previous drop rate if that was recent.
    private mutating func startDropping(at now: Duration) {
        isDropping = true
        let delta = count - lastCount
        count = delta > 1 && now - nextDrop < Self.interval * 16 ? delta : 1
        lastCount = count
        nextDrop = Self.controlLaw(now, count)
    }

    /// RFC 8289, section 5.6 (`dodequeue`): whether the delay was too long for an interval.
    private mutating func hasWaitedTooLong(
        _ entry: PacketQueue.Entry, bytesBehind: UInt64, at now: Duration
    ) -> Bool {
        if now - entry.arrival < Self.target || bytesBehind <= Self.fullPacket {
            patienceEnds = nil
            return false
        }
        guard let patienceEnds else {
            patienceEnds = now + Self.interval
            return false
        }
        return now >= patienceEnds
    }

    /// RFC 8289, section 5.3: the drop rate grows with the square root of the number of drops.
    private static func controlLaw(_ time: Duration, _ count: UInt64) -> Duration {
        time + interval / Double(count).squareRoot()
    }
}
