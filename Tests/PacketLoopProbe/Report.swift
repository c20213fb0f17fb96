import LinkUnits
import PacketEngine
import PacketLoop

/// Statistics as the benches read them.
struct Report: Encodable {
    struct Direction: Encodable {
        var arrived, delivered, lost, queueDrops, managedDrops, corrupted, duplicated: UInt64
        var held, exempt, socketDrops, memoryDrops, unreadable, sendFailures: UInt64
        var memoryBytes: UInt64
        var lateMicroseconds: [String: Double]

        init(_ statistics: DirectionStatistics) {
            let link = statistics.link
            (arrived, delivered) = (link.arrivedPackets, link.deliveredPackets)
            (lost, queueDrops) = (link.lostPackets, link.queueFullPackets)
            (managedDrops, corrupted) = (link.managedPackets, link.corruptedPackets)
            (duplicated, held) = (link.duplicatedPackets, link.heldPackets)
            (exempt, socketDrops) = (statistics.exempt, statistics.socketDrops)
            (memoryDrops, unreadable) = (statistics.memoryDrops, statistics.unreadable)
            (sendFailures, memoryBytes) = (statistics.sendFailures, statistics.memory.bytes)
            let late = statistics.lateness
            lateMicroseconds = [
                "p50": late.quantile(.percent(50)), "p90": late.quantile(.percent(90)),
                "p99": late.quantile(.percent(99)), "max": late.maximum,
            ].compactMapValues { $0.map { $0.milliseconds * 1000 } }
        }
    }

    var up, down: Direction

    init(_ statistics: LoopStatistics) {
        up = Direction(statistics.up)
        down = Direction(statistics.down)
    }
}
