import Explanation
import LinkModel
import LinkUnits
import LinuxKernel
public import SystemPackage

/// Learns a link from packets of others: from a capture, or at an interface.
public struct PassiveLearning {
    private var times = TimestampAnalysis()
    private var fates = FateAnalysis()
    private var packets = 0
    /// How many packets claim to be longer than any is.
    private var impossible = 0

    private init() {}

    private mutating func take(_ packet: CapturedPacket) {
        // The IP header without options.
        let network = packet.source.address.isIPv6 ? 40 : 20
        let transport: Int
        switch packet.transport {
        case .tcp(let header): transport = header.length
        case .udp: transport = 8
        }
        let length = network + transport + packet.payloadLength
        guard length <= CapturedPacket.longestPacket else {
            impossible += 1
            return
        }
        packets += 1
        times.take(packet, length: length)
        fates.take(packet, length: length)
    }

    // MARK: Captures

    /// Learns from a capture file in bounded memory.
    ///
    /// - Parameter name: The file's name, for messages.
    public static func fromCapture(
        _ file: FileDescriptor, name: String
    ) throws -> LearnedLink {
        var reader = try CaptureReader(CaptureStream(file), name: name)
        return try learn(from: &reader)
    }

    /// The same of a capture in memory.
    package static func fromCapture(_ bytes: [UInt8], name: String) throws -> LearnedLink {
        var reader = try CaptureReader(CaptureStream(bytes), name: name)
        return try learn(from: &reader)
    }

    private static func learn(from reader: inout CaptureReader) throws -> LearnedLink {
        var learning = PassiveLearning()
        while let packet = try reader.next() { learning.take(packet) }
        let facts = reader.facts
        guard learning.packets > 0 else {
            throw nothing(in: facts, impossible: learning.impossible, name: reader.name)
        }
        var notes = ["Learned from \(learning.packets) packets of \(reader.name)."]
        let hasFates = facts.packetsWithFate * 2 > learning.packets
        notes.append(
            hasFates
                ? "linkcond wrote this capture, so it says what the link did to each packet."
                : "It has only the times of packets at one place: its numbers are bounds.")
        if let damage = facts.damage { notes.append("The capture \(damage).") }
        if facts.missingPackets > 0 {
            notes.append("The capture lacks \(facts.missingPackets) packets, as it says.")
        }
        for (type, count) in facts.unknownLinkTypes.sorted(by: { $0.key < $1.key }) {
            notes.append("\(count) packets of link type \(type) were not read.")
        }
        return learning.link(name: reader.name, hasFates: hasFates, notes)
    }

    private func link(name: String, hasFates: Bool, _ notes: [String]) -> LearnedLink {
        var notes = notes
        if !hasFates, times.backwards > 0 {
            notes.append(
                "Its time went backwards \(times.backwards) times; what spans that is left out.")
        }
        if times.forgotten > 0 {
            notes.append("It has more connections than are followed at a time.")
        }
        if impossible > 0 {
            notes.append(
                "Packets that claim to be longer than any is were left out: \(impossible).")
        }
        let way = { (direction: Direction) in
            var learned = hasFates ? fates.learned(direction) : times.learned(direction)
            learned.leaveOutImpossible()
            return learned
        }
        return LearnedLink(
            up: way(.up), down: way(.down), source: name, method: .passive, notes: notes)
    }

    private static func nothing(
        in facts: CaptureReader.Facts, impossible: Int, name: String
    ) -> LearningError {
        if let problem = facts.unreadPackets {
            return LearningError("\(name): \(problem)", status: .badFile)
        }
        let cause =
            facts.damage
            ?? (facts.packets == 0
                ? "has no packets"
                : impossible > 0
                    ? "has only packets that claim to be longer than any is"
                    : "has \(facts.packets) packets, but none of TCP or UDP")
        return LearningError("\(name): \(cause); nothing can be learned", status: .badFile)
    }

    // MARK: At an interface

    /// Listens at an interface for `duration`, or until a signal asks to stop, and keeps nothing
    /// but what it needs for bounds.
    public static func listening(
        at interface: Int32, name: String, for duration: Duration
    ) throws -> LearnedLink {
        let signals = try SignalDescriptor([2, 15])
        var witness = try PacketWitness(interface: interface)
        var learning = PassiveLearning()
        let end = KernelClock.monotonic + duration
        while KernelClock.monotonic < end, signals.next() == nil {
            try witness.takeAll { learning.take($0) }
            _ = Readiness.wait(for: [signals.descriptor], timeout: .milliseconds(5))
        }
        guard learning.packets > 0 else {
            throw LearningError(
                "\(name): no packet of TCP or UDP passed; keep the link busy while it is learned",
                status: .failed)
        }
        var notes = [
            "Learned from \(learning.packets) packets at \(name).",
            "It has only the times of packets at one place: its numbers are bounds.",
        ]
        let missed = witness.missed
        if missed > 0 { notes.append("\(missed) packets came too fast to be looked at.") }
        return learning.link(name: name, hasFates: false, notes)
    }
}
