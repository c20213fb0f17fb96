import LinkModel
import LinkUnits
import LinuxKernel
import Middleboxes
import PacketEngine

/// What stands in the middle of the link.
extension Forwarder {
    /// Shows a frame that arrives at the far end of the link to what stands there. If it does not
    /// pass, it is dropped, and the result is true.
    ///
    /// - Parameter count: how many packets it counts as.
    mutating func isStopped(_ id: FrameStore.ID, count: Int) -> Bool {
        guard let fields = fields(of: id) else { return false }
        let count = UInt64(count)
        switch middle.verdict(on: fields, direction, at: time) {
        case .passes, .turnedBack, .answered: return false
        case .changed(let change):
            if change.changesFamily, isTakenApart(id, fields) { return true }
            if store.write(change, to: id, network: store[id].network) {
                if change.isTranslation { statistics.translatedPackets += count }
                return false
            }
            return drop(id, .unrouted, count: count)
        case .askedAgain(let question):
            ask(question, inPlaceOf: id)
            return true
        case .replaced(let packet, let isSynthesized):
            if isSynthesized { statistics.answered[.synthesized, default: 0] += 1 }
            enter(packet, inPlaceOf: id)
            store.release(id)
            return true
        case .dropped(let drop, let answer):
            if let answer, let (_, packet) = store.bytes(of: Ticket(frame: id)),
                let bytes = answer.bytes(to: packet, fields)
            {
                enter(bytes, inPlaceOf: id)
            }
            return self.drop(id, drop, count: count)
        }
    }

    /// Drops a frame ahead of the link.
    private mutating func drop(
        _ id: FrameStore.ID, _ drop: MiddleboxDrop, count: UInt64
    ) -> Bool {
        store[id].number = nil
        statistics.stop(drop, packets: count, bytes: store[id].length, isAhead: true)
        observe(Ticket(frame: id), at: time, .stopped(drop))
        store.release(id)
        return true
    }

    /// Puts what the app gets in the place of a frame on the link.
    private mutating func enter(_ packet: [UInt8], inPlaceOf id: FrameStore.ID) {
        guard let (link, _) = store.bytes(of: Ticket(frame: id)),
            let answer = store.frame(link, packet)
        else {
            statistics.memoryDrops += 1
            return
        }
        enter(answer, isAnswer: true)
    }

    /// Shows a packet that has crossed the link to what stands behind it. If it does not go on, the
    /// result is true.
    mutating func stops(_ ticket: Ticket, _ event: PacketEvent) -> Bool {
        guard event.leaves else { return false }
        if store[ticket.frame].passage == .undecided { decide(ticket, event) }
        switch store[ticket.frame].passage {
        case .undecided: return false
        case .passes:
            if store.changes[ticket.frame]?.isTranslation == true {
                statistics.translatedPackets += 1
            }
            return false
        case .stopped(let drop):
            statistics.stop(drop, packets: 1, bytes: store.length(of: ticket), isAhead: false)
            observe(ticket, at: event.time, .stopped(drop), isCopy: !event.releasesSlot)
        case .turnedBack:
            statistics.translatedPackets += 1
            observe(ticket, event)
            turnBack(ticket, event)
        case .answered:
            observe(ticket, event)
        }
        if event.releasesSlot { store.release(ticket.frame) }
        return true
    }

    /// Decides on a frame. All packets of a super-packet have the same fate, and get one answer.
    private mutating func decide(_ ticket: Ticket, _ event: PacketEvent) {
        let id = ticket.frame
        store[id].passage = .passes
        guard let fields = fields(of: id) else { return }
        switch middle.verdict(on: fields, direction, at: event.time) {
        case .passes, .askedAgain, .replaced: break
        case .changed(let change):
            store.changes[id] = change
            guard change.changesFamily else { return }
            middle.note(
                store.withFrame(id) { _, frame in (0..<min(12, frame.count)).map { frame[$0] } })
        case .turnedBack(let change):
            store[id].passage = .turnedBack
            store.changes[id] = change
        case .answered(let answer):
            // Nobody understands a damaged question.
            if case .corrupted = event.verdict { return }
            store[id].passage = .answered
            statistics.answered[answer.kind, default: 0] += 1
            guard let (link, packet) = store.bytes(of: ticket),
                let bytes = answer.bytes(to: packet, fields)
            else { return }
            middle.send(LinkMiddle.Answer(link: link, packet: bytes))
        case .dropped(let drop, let answer):
            store[id].passage = .stopped(drop)
            guard let answer, let (link, packet) = store.bytes(of: ticket),
                let bytes = answer.bytes(to: packet, fields)
            else { return }
            middle.send(LinkMiddle.Answer(link: link, packet: bytes))
        }
    }

    /// Sends a packet back to the app that the network's side of the middle belongs to. A super-packet
    /// stays one; as a single packet it would be too long for the app's interface.
    private mutating func turnBack(_ ticket: Ticket, _ event: PacketEvent) {
        let copy =
            if case .corrupted(let bit) = event.verdict {
                store.corruptedCopy(of: ticket, bit: bit)
            } else {
                store.copy(of: ticket)
            }
        guard let copy else {
            statistics.memoryDrops += 1
            return
        }
        defer { store.release(copy) }
        if event.isMarked { store.mark(copy) }
        let network = store[copy].network
        store.writeChange(to: copy, network: network)
        let end = network + store[copy].length
        let answer = store.withFrame(copy) { virtual, frame in
            LinkMiddle.Answer(
                link: (0..<network).map { frame[$0] }, packet: (network..<end).map { frame[$0] },
                virtual: virtual)
        }
        if !middle.send(answer) { statistics.memoryDrops += 1 }
    }

    private func fields(of id: FrameStore.ID) -> PacketFields? {
        let (network, length) = (store[id].network, store[id].length)
        return store.withFrame(id) { _, frame in
            network + length <= frame.count
                ? PacketFields(frame.extracting(network..<network + length)) : nil
        }
    }

    /// Puts the answers of what stands in the middle on the link.
    mutating func takeAnswers() {
        for answer in middle.takeAnswers() {
            let id = store.frame(
                answering: answer.link, answer.packet, virtual: answer.virtual)
            guard let id else {
                statistics.memoryDrops += 1
                continue
            }
            enter(id, isAnswer: true)
        }
    }

    /// Lets the two sides of a NAT find each other by ARP for IPv4 on Ethernet (RFC 826). The network
    /// asks for its address outside, which nobody has but the app; if the app asks for it, it gets
    /// an answer here, and the result is true.
    mutating func isAddressResolved(_ id: FrameStore.ID) -> Bool {
        guard let place = middle.translatedPlace else { return isStandInResolved(id) }
        let (sender, target) = (14, 24)
        let (former, address, field) =
            direction == .up
            ? (place.inside, place.outside, sender) : (place.outside, place.inside, target)
        let start = VirtualHeader.count + store[id].network
        let asksForOutside = store.memory.withMutableBytes(in: store[id].range) { bytes in
            guard start + 28 <= bytes.count, bytes.word(at: start - 2) == 0x0806,
                bytes.long(at: start) == 0x0001_0800
            else { return false }
            if direction == .up, bytes.word(at: start + 6) == 1,
                UInt64(bytes.long(at: start + target)) == place.outside.low
            {
                return true
            }
            if UInt64(bytes.long(at: start + field)) == former.low {
                bytes.setLong(UInt32(truncatingIfNeeded: address.low), at: start + field)
            }
            return false
        }
        guard asksForOutside else { return false }
        // It tells the app that the address outside belongs to a neighbour, so that it sends there what
        // a NAT may turn back.
        answerAddressResolution(id, for: place.outside, by: [2, 0x6c, 0x63, 0, 0, 0xfe])
        return true
    }

    /// Tells the network, which asks for the address outside of a NAT64, where packets for the app go,
    /// which does not have that address; then the result is true.
    private mutating func isStandInResolved(_ id: FrameStore.ID) -> Bool {
        guard direction == .down, let address = middle.standIn else { return false }
        let network = store[id].network
        let isAsked = store.withFrame(id) { _, frame in
            network + 28 <= frame.count && frame.word(at: network - 2) == 0x0806
                && frame.long(at: network) == 0x0001_0800 && frame.word(at: network + 6) == 1
                && UInt64(frame.long(at: network + 24)) == address.low
        }
        guard isAsked else { return false }
        let app = middle.appAddress
        if app.isEmpty {
            // It has sent nothing, so nothing is for it.
            store.release(id)
        } else {
            answerAddressResolution(id, for: address, by: app)
        }
        return true
    }

    private mutating func answerAddressResolution(
        _ id: FrameStore.ID, for address: IPAddress, by neighbour: [UInt8]
    ) {
        let network = store[id].network
        let asker = store.withFrame(id) { _, frame in
            (network + 8..<network + 18).map { frame[$0] }
        }
        store.release(id)
        let reply: [UInt8] = [0, 1, 8, 0, 6, 4, 0, 2] + neighbour + address.bytes + asker
        guard let answer = store.frame(Array(asker[..<6]) + neighbour + [8, 6], reply) else {
            return
        }
        store[answer].arrival = time
        if !wayBack.send(answer, clock, &store, statistics) { store.release(answer) }
    }
}
