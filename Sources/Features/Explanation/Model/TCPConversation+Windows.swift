import DequeModule
import LinkModel

extension TCPConversation {
    /// An end that sends within this time of an acknowledgement was waiting for it.
    private static let reaction = Duration.milliseconds(3)

    /// What a sender waited for that had more to send than a window let out: since it sent the
    /// packet whose acknowledgement let it go on. Nil if it did not wait for a window.
    func windowPath(_ transit: Transit, _ range: Range<Int>) -> CriticalPath? {
        let stream = self[transit.direction]
        let now = transit.packet.sent
        guard let last = stream.lastAcknowledgement, let sent = stream.lastSent,
            // Not the end of the handshake, nor a message that the packet answers.
            !last.isSYN, lastNews(at: transit.direction) ?? .zero < last.time,
            // Later packets of the same burst follow the first.
            sent.time < last.time,
            now - last.time <= Self.reaction
        else { return nil }
        let isFull =
            last.limitBefore.map {
                $0 - range.lowerBound < min(stream.maximumSegment, range.count)
            } ?? false
        // Without anything under way, no congestion window held it back.
        guard isFull || last.outstandingBefore > 0 && (last.isPure || last.outstanding > 0),
            var echo = last.echo
        else { return nil }
        let fate = last.fate
        let start = last.sent + (fate.queueing ?? .zero)
        echo.add(.queueing, until: start)
        echo.add(.serialization, until: start + (fate.transmission ?? .zero))
        echo.add(.propagation, until: last.sent + fate.delay)
        echo.add(.lateness, until: last.sent + fate.passage)
        echo.add(transit.direction.sender, until: now)
        let phase: Phase =
            transit.phase != .exchange
            ? transit.phase : isFull ? .receiveWindow : .congestionWindow
        return echo.path(in: phase, of: owner)
    }

    /// Takes bytes that were sent before: the wait is since then.
    func sentAgain(_ transit: Transit, _ range: Range<Int>, in run: RunModel) {
        let (direction, now) = (transit.direction, transit.packet.sent)
        guard let found = self[direction].segment(at: range.lowerBound) else {
            // It was acknowledged meanwhile: the sender did not know.
            transit.path = CriticalPath(from: run.start).extended(
                to: now, by: WaitKind(direction.sender), of: owner)
            transit.path =
                self[direction].lastSent?.path.extended(
                    to: now, by: WaitKind(direction.sender, in: transit.phase), of: owner)
                ?? transit.path
            return
        }
        exchange?.hasLosses = true
        let segment = self[direction].segments[found]
        let isFast = isFast(direction, at: now)
        if isFast {
            fastRetransmissions.add(transit.packet.number)
        } else {
            timeoutRetransmissions.add(transit.packet.number)
            self[direction].timeoutEnd = self[direction].next
        }
        let component: Component =
            segment.drop == .disconnected ? .linkDown : isFast ? .fastRecovery : .timeoutRecovery
        transit.path = segment.last.path.extended(
            to: now, by: WaitKind(component, in: transit.phase), of: owner)
        let progress = Progress(time: now, path: transit.path)
        var index = found
        while index < self[direction].segments.count,
            self[direction].segments[index].range.lowerBound < range.upperBound
        {
            self[direction].segments[index].last = progress
            self[direction].segments[index].isRepeated = true
            self[direction].segments[index].drop = transit.packet.fate.drop
            index += 1
        }
    }

    /// Whether acknowledgements of later packets caused a retransmission (RFC 5681, section 3.2;
    /// RFC 8985): they arrive until it is sent. A timer waits for longer than a round trip.
    private func isFast(_ direction: Direction, at now: Duration) -> Bool {
        let stream = self[direction]
        guard stream.timeoutEnd == nil, let last = lastArrivalOfAnything(at: direction) else {
            return false
        }
        let wait = max(Self.reaction, (roundTrips.least ?? .zero) / 2)
        return now - last <= wait
    }
}
