import LinkModel
import LinkUnits
import Verification

extension DirectionAnalysis {
    /// Adds the queue, and whether it is managed.
    func addQueue(_ learned: inout LearnedDirection, delay: Double?) {
        let trains = seen.varying.map { [$0] } ?? seen.overload?.trains ?? []
        guard let delay, !trains.isEmpty, seen.varying != nil || rate?.isSaturated == true else {
            return learned.values.append(
                .hidden("queue", "not visible: nothing waited, since the link was not overloaded"))
        }
        let judged = min(Overload.holding, trains.count - 1)
        let occupancy = QueueOccupancy(
            trains, judged: judged, delay: delay, loss: rate?.lost ?? loss)
        guard occupancy.packets.count >= 10, let full = occupancy.median else {
            let most = Int(occupancy.most.rounded())
            return learned.values.append(
                LearnedValue(
                    "queue", .bound, low: Double(most),
                    how: "not visible: it did not overflow; \(most) packets waited at most"))
        }
        let packets = max(1, full)
        let bytes = trains[judged].train.packetBytes
        let burst = learned.conditions.loss.meanLossBurst
        if let management = management(occupancy, trains, judged, burst: burst) {
            learned.conditions.aqm = management.aqm
            learned.values.append(
                LearnedValue(
                    "aqm", .bound, text: management.aqm.rawValue, how: management.how))
            return learned.values.append(
                .hidden("queue", "not visible: an AQM drops packets before it is full"))
        }
        let jitter = seen.varying == nil ? learned.conditions.jitter?.amount.milliseconds ?? 0 : 0
        let time = max(1, trains[judged].sendingTime * 0.66)
        let perMillisecond = (rate?.value ?? seen.varying?.received ?? 0) / 8000 / Double(bytes)
        let memory = learned.conditions.jitter?.memory.milliseconds ?? 0
        let independent = max(1, time / max(memory, 1))
        let error =
            1 + packets * 0.01 + jitter * perMillisecond * 2 / independent.squareRoot()
        let limit = unit(trains, packets: packets, bytes: bytes, delay: delay)
        // While the sender is held up the queue empties, and what it then sends together is dropped at
        // times that are not known exactly.
        let lateness = trains[judged].lateness
        let emptied = lateness * perMillisecond
        let isHeldUp = emptied > max(3, packets * 0.1)
        learned.conditions.queue = limit.queue
        let wait =
            (rate.map { packets * Double(bytes * 8000) / $0.value })
            .map { ", which is \(Rounding.text($0, digits: 3)) ms of waiting" } ?? ""
        learned.values.append(
            LearnedValue(
                "queue", limit.isSure && !isHeldUp ? .measured : .bound,
                text: limit.queue.description, value: packets, low: max(0, packets - error),
                high: packets + error + (isHeldUp ? emptied : 0),
                how: "\(Rounding.text(packets, digits: 3)) packets of \(bytes) bytes waited when "
                    + "others were dropped\(wait); ± \(Rounding.text(error, digits: 2)) packets"
                    + limit.how
                    + (isHeldUp
                        ? "; it may be longer, since the sender was held up for "
                            + "\(Rounding.text(lateness, digits: 2)) ms at times (a busy machine)"
                        : "")))
        learned.values.append(
            LearnedValue(
                "aqm", .measured,
                how: "drop-tail: packets are dropped only when so many wait"))
    }

    /// Whether the limit is in packets or in bytes, by smaller packets.
    private func unit(
        _ trains: [ObservedTrain], packets: Double, bytes: Int, delay: Double
    ) -> (queue: QueueLimit, isSure: Bool, how: String) {
        let inPackets = QueueLimit.packets(max(1, Int(packets.rounded())))
        guard trains.count > Overload.smaller else {
            return (inPackets, false, "; whether in packets or in bytes is not known")
        }
        let small = trains[Overload.smaller].train.packetBytes
        let other = QueueOccupancy(
            trains, judged: Overload.smaller, delay: delay, loss: loss)
        guard other.packets.count >= 10, let count = other.median.map({ max(1, $0) }) else {
            return (inPackets, false, "; whether in packets or in bytes is not known")
        }
        let ratio = count / packets
        let bytesRatio = ratio * Double(small) / Double(bytes)
        if abs(ratio - 1) < 0.25 {
            return (inPackets, true, "; of \(small) bytes as many, so the limit is in packets")
        }
        if abs(bytesRatio - 1) < 0.25 {
            let limit = Rounding.significant(packets * Double(bytes), digits: 3)
            return (
                .bytes(ByteCount(bytes: UInt64(max(1, limit)))), true,
                "; of \(small) bytes \(Rounding.text(count, digits: 3)), so the limit is in bytes"
            )
        }
        return (
            inPackets, false,
            "; of \(small) bytes \(Rounding.text(count, digits: 3)), so the unit is not clear"
        )
    }

    /// The AQM that drops packets although there is room; nil if none does.
    private func management(
        _ occupancy: QueueOccupancy, _ trains: [ObservedTrain], _ judged: Int, burst: Double
    ) -> (aqm: QueueManagement, how: String)? {
        guard seen.varying == nil, let spread = occupancy.spread, let median = occupancy.median
        else { return nil }
        let jitter =
            (seen.idleSpread * (rate?.value ?? 0)) / 8000
            / Double(trains[judged].train.packetBytes)
        // How many of the waiting packets are lost later, and so not counted, varies.
        let uncounted = (2 * median * loss * min(burst, 100)).squareRoot()
        let slack = 3 + 4 * jitter + 4 * uncounted
        // A full queue is always as full, but for the one that is just leaving.
        let isSteady = spread < 0.1 + slack / max(1, median)
        let isNearMost = median > 0.85 * occupancy.most - slack
        // Behind the queue packets are lost anyway.
        let early = occupancy.early(full: occupancy.most)
        let expected = Double(early.sent) * loss
        let isEarly =
            jitter < 0.1 * median
            && Double(early.lost) > expected + 2 + 5 * (expected * min(burst, 100)).squareRoot()
        guard isEarly || !isSteady || !isNearMost else { return nil }
        let low = isEarly ? 0 : Statistics.percentile(0.1, of: occupancy.packets) ?? 0
        let high = Statistics.percentile(0.9, of: occupancy.packets) ?? 0
        // CoDel is slow to follow a sender that does not give way, PIE is not.
        let aqm = median < 0.5 * occupancy.most ? QueueManagement.pie : .codel
        return (
            aqm,
            "packets are dropped while \(Int(low)) to \(Int(high)) wait, and "
                + "\(Int(occupancy.most)) waited at most; which AQM it is cannot be told for sure"
        )
    }
}
