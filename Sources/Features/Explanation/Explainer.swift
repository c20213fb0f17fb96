import LinkModel
import LinuxKernel
public import SystemPackage

/// Explains where the time of a run went, from a capture of its packets with their fates.
///
/// Theory of operation. `CaptureReader` reads one packet after the other, each with its entry and
/// its exit. `EventQueue` makes a series of sendings and arrivals of them, in the order of time.
/// `RunModel` follows the conversations: for each packet that is sent, it finds the packet or the
/// program that was waited for, and extends the path of that (`CriticalPath`). The path of what the
/// app got last is the critical path of the run: the same as walking back from the end along the
/// packets that were waited for, but with the memory of the packets under way instead of all.
public struct Explainer {
    private var reader: CaptureReader
    private var sides = Sides()

    /// Begins to read a capture.
    ///
    /// - Parameter name: The file's name, for messages.
    public init(_ file: FileDescriptor, name: String) throws(ExplanationError) {
        reader = try CaptureReader(CaptureStream(file), name: name)
    }

    /// Begins to read a capture in memory.
    init(_ bytes: [UInt8], name: String) throws(ExplanationError) {
        reader = try CaptureReader(CaptureStream(bytes), name: name)
    }

    /// Explains a file.
    public static func explanation(ofFile path: String) throws -> Explanation {
        let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec])
        return try file.closeAfter {
            var explainer = try Explainer(file, name: path)
            return try explainer.explain()
        }
    }

    /// Reads the capture to its end and explains it.
    public mutating func explain() throws(ExplanationError) -> Explanation {
        guard let first = try reader.next() else {
            // A command that did not use the network waited for itself alone.
            guard let run = reader.facts.run, reader.facts.isOurs, reader.facts.damage == nil
            else {
                throw reader.nothingToExplain
            }
            return Explanation(RunModel(start: run.lowerBound), reader.facts, name: reader.name)
        }
        // The times of the command are at the end of the file: the path starts with the packets, and
        // what precedes them is added.
        let model = RunModel(start: first.sent)
        var events = EventQueue()
        add(first, to: &events, model)
        while let packet = try reader.next() {
            add(packet, to: &events, model)
            while let (event, time) = events.next() { model.take(event, at: time) }
        }
        while let (event, time) = events.next(isEnd: true) { model.take(event, at: time) }
        return Explanation(model, reader.facts, name: reader.name)
    }

    private mutating func add(
        _ packet: CapturedPacket, to events: inout EventQueue, _ model: RunModel
    ) {
        // The packet itself follows.
        guard !packet.fate.isCopy, packet.payloadLength <= CapturedPacket.longestPacket else {
            return
        }
        let direction = packet.direction ?? sides.direction(of: packet)
        let conversation = model.conversation(of: packet, direction)
        events.add(Transit(packet, direction, of: conversation))
    }
}

/// Tells the app's side from the far side in captures that do not say which way packets go: the
/// first to send is the app, unless it answers what the capture has later.
private struct Sides {
    private static let most = 100_000
    private var near: Set<IPAddress> = []
    /// The clients within this host, where both sides have the same addresses.
    private var clients: Set<SocketName> = []

    mutating func direction(of packet: CapturedPacket) -> Direction {
        guard CapturedPacket.staysOnHost(packet.source, packet.destination) else {
            return Self.direction(
                from: packet.source.address, to: packet.destination.address, near: &near,
                isAnswer: packet.isAnswerToSYN)
        }
        // The capture may begin in a connection, with its server.
        if case .tcp(let header) = packet.transport, header.isSYN {
            clients.remove(header.isACK ? packet.source : packet.destination)
        }
        return Self.direction(
            from: packet.source, to: packet.destination, near: &clients,
            isAnswer: packet.isAnswerToSYN)
    }

    private static func direction<Side>(
        from source: Side, to destination: Side, near: inout Set<Side>, isAnswer: Bool
    ) -> Direction {
        if near.contains(source) { return .up }
        if near.contains(destination) { return .down }
        if near.count < most { near.insert(isAnswer ? destination : source) }
        return isAnswer ? .down : .up
    }
}

extension CaptureReader {
    /// Why there is nothing to explain.
    fileprivate var nothingToExplain: ExplanationError {
        if let problem = facts.unreadPackets { return ExplanationError("\(name): \(problem)") }
        if let damage = facts.damage {
            return ExplanationError(
                "\(name): \(damage), before the first packet of TCP or UDP; nothing can be explained"
            )
        }
        return ExplanationError(
            facts.packets == 0
                ? "\(name): has no packets: the command sent and received nothing"
                : "\(name): has \(facts.packets) packets, but none of TCP or UDP")
    }
}
