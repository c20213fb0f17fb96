import LinkModel
import LinkUnits

/// Properties of conditions that measuring needs.
extension DirectionConditions {
    /// The serialization delay of a packet; zero if nothing limits the rate.
    func serialization(ofBytes bytes: Int) -> Duration {
        bandwidth?.serializationDelay(of: ByteCount(bytes: UInt64(bytes))) ?? .zero
    }

    /// The time after which no packet is in flight on an idle link.
    var longestDelay: Duration {
        delay + (jitter?.amount ?? .zero) * 6 + serialization(ofBytes: 300)
    }

    /// Whether the MTU has room for the smallest probe.
    func canProbe(_ family: InternetFamily) -> Bool {
        family.leastPacket <= Int(fullPacket.bytes)
    }

    /// The shares of packets with rare events; each burst of losses counts as one event.
    var eventShares: [Double] {
        var shares = [duplicate.value, corrupt.value, overtaking]
        if loss.mean < .one { shares.append(loss.mean.value / min(loss.meanLossBurst, 1e6)) }
        return shares.filter { $0 > 0 }
    }

    /// The share of packets that overtake others: after `gap` - 1 that do not, each may.
    var overtaking: Double {
        guard let reorder, reorder.mean > .zero else { return 0 }
        return 1 / (Double(max(1, reorder.gap) - 1) + 1 / reorder.mean.value)
    }

    /// The size of the packets that overload the link.
    ///
    /// They are small on a slow link, where there would be too few full-size ones. If the queue is
    /// limited by bytes or time, they are full-size, since that is how these limits are converted
    /// to packets.
    func saturationPacket(_ effort: Effort) -> Int {
        let full = Int(fullPacket.bytes)
        guard let bandwidth else { return full }
        switch queue {
        case .bytes, .time: return full
        case .packets, nil:
            // If losses are expected, their share must be measured as well.
            let least = loss.mean > .zero ? 400.0 : 64
            let bytes = Double(bandwidth.byteCount(in: effort.overload).bytes) / least
            return min(full, max(100, Int(bytes)))
        }
    }

    /// The queue's capacity in packets, if it can be filled and emptied in reasonable time.
    func fillableQueue(_ effort: Effort) -> Int? {
        guard aqm == .dropTail, trace == nil, let queuePackets, bandwidth != nil else { return nil }
        let time = serialization(ofBytes: saturationPacket(effort))
        guard Double(queuePackets) * time.seconds <= effort.longestQueue.seconds else { return nil }
        return queuePackets
    }

    /// How long a full-size packet waits behind a full queue of such packets.
    var queueTime: Duration {
        serialization(ofBytes: Int(fullPacket.bytes)) * (queuePackets ?? 0)
    }

    /// Whether every packet arrives once and unchanged.
    var isLossless: Bool {
        loss.mean == .zero && corrupt == .zero && duplicate == .zero && trace == nil
    }
}

extension LinkConditions {
    /// Whether every packet arrives once and unchanged.
    var isLossless: Bool { !isBlackhole && up.isLossless && down.isLossless }

    /// The RTT of a TCP transfer that keeps the queue in its direction full; nil if TCP would not
    /// use the whole bandwidth even on a perfect link.
    func loadedRoundTrip(for direction: Direction) -> Duration? {
        let (way, back) = direction == .up ? (up, down) : (down, up)
        guard isLossless, way.aqm == .dropTail, back.aqm == .dropTail,
            [way, back].allSatisfy({ $0.jitter == nil && $0.reorder == nil }),
            // A sender that does not learn of the MTU keeps sending full-size packets.
            [way, back].allSatisfy({ $0.mtu?.icmp != .silent }),
            // TCP does not go below 552 bytes (net.ipv4.route.min_pmtu): its packets are fragmented.
            [way, back].allSatisfy({ $0.fullPacket.bytes >= 552 }),
            let bandwidth = way.bandwidth,
            // CUBIC reduces its window to 0.7: the queue must hold the rest.
            way.queueTime.seconds >= 0.6 * roundTripTime.seconds,
            // Every packet, or every second one, is acknowledged.
            back.bandwidth.map({ $0.bitsPerSecond >= bandwidth.bitsPerSecond / 15 }) ?? true
        else { return nil }
        return roundTripTime + way.queueTime
    }
}

extension Duration {
    /// The length in seconds, for statistics.
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
