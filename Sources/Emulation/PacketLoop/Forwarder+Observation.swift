import LinkModel
import LinkUnits
import PacketEngine

/// What is told to the observer.
extension Forwarder {
    mutating func observe(_ ticket: Ticket, _ event: PacketEvent) {
        let arrives = isConnected || !event.leaves
        observe(
            ticket, at: event.time, arrives ? .judged(event.verdict) : .disconnected,
            isCopy: !event.releasesSlot,
            transmission: event.leaves ? (event.transmissionStart, event.transmissionEnd) : nil)
    }

    mutating func observe(
        _ ticket: Ticket, at time: Duration, _ fate: PacketRecord.Fate, isCopy: Bool = false,
        transmission: (start: Duration, end: Duration)? = nil
    ) {
        guard let observer else { return }
        let number = store[ticket.frame].number.map { $0 + UInt64(ticket.segment ?? 0) }
        let back: Direction = direction == .up ? .down : .up
        let lateness = fate.isJudged ? clock.now - time : .zero
        var record = PacketRecord(
            direction: fate == .answer ? back : direction, number: number, isCopy: isCopy,
            arrival: store[ticket.frame].arrival, departure: time, lateness: lateness,
            length: ByteCount(bytes: UInt64(store.length(of: ticket))), fate: fate)
        transmission.map { record.setTransmission(from: $0.start, until: $0.end) }
        guard ticket.segment != nil else {
            store.withFrame(ticket.frame) { observer.observed(record, frame: $1) }
            return
        }
        guard let copy = store.copy(of: ticket) else {
            // There is no memory for its bytes, but its record is always observed.
            observer.observed(record, frame: Span())
            return
        }
        store.withFrame(copy) { observer.observed(record, frame: $1) }
        store.release(copy)
    }
}
