import LinkModel
import LinkUnits
import PacketEngine
import PacketLoop

/// The blocks of a pcapng capture file, as wireshark and tcpdump read them.
///
/// The section numbers refer to draft-ietf-opsawg-pcapng (PCAP Now Generic). Numbers are
/// little-endian.
struct Pcapng {
    /// The capture interfaces of a link in order: up, down.
    static let directions: [LinkDirection] = [.up, .down]

    /// The time since 1970 to which packet times are relative.
    let origin: Duration

    // MARK: Blocks

    /// Section Header Block (4.1): the kind of file and the program that made it.
    static func appendSection(_ host: Host, comment: String, to buffer: inout ByteBuffer) {
        let start = begin(.section, &buffer)
        buffer.append(0x1a2b_3c4d as UInt32)
        buffer.append(1 as UInt16)
        buffer.append(0 as UInt16)
        // The length of the section is unknown.
        buffer.append(UInt64.max)
        append(.comment, comment, to: &buffer)
        append(.hardware, host.hardware, to: &buffer)
        append(.system, host.system, to: &buffer)
        append(.application, host.application, to: &buffer)
        end(start, &buffer)
    }

    /// Interface Description Block (4.2): an Ethernet interface at which packets enter the link.
    static func appendInterface(
        named name: String, description: String, to buffer: inout ByteBuffer
    ) {
        let start = begin(.interface, &buffer)
        buffer.append(1 as UInt16)
        buffer.append(0 as UInt16)
        // Frames are kept whole.
        buffer.append(0 as UInt32)
        append(.interfaceName, name, to: &buffer)
        append(.interfaceDescription, description, to: &buffer)
        // Times are in nanoseconds (10^-9 s).
        appendOption(.timeResolution, length: 1, to: &buffer)
        buffer.append(9 as UInt8)
        buffer.pad()
        end(start, &buffer)
    }

    /// Enhanced Packet Block (4.3): a packet with the time of its arrival at the link, and what
    /// happened to it.
    func appendPacket(
        _ record: PacketRecord, frame: Span<UInt8>, comment: String, to buffer: inout ByteBuffer
    ) {
        let start = Self.begin(.packet, &buffer)
        buffer.append(Self.interface(of: record.direction, link: record.link))
        appendTime(record.arrival, to: &buffer)
        buffer.append(UInt32(frame.count))
        buffer.append(UInt32(max(frame.count, Int(record.length.bytes))))
        buffer.append(frame)
        buffer.pad()
        Self.append(.comment, comment, to: &buffer)
        // Inbound (1) or outbound (2), as the app sees it.
        Self.appendOption(.packetFlags, length: 4, to: &buffer)
        buffer.append((record.direction == .down ? 1 : 2) as UInt32)
        if let number = record.number {
            Self.appendOption(.packetID, length: 8, to: &buffer)
            buffer.append(number)
        }
        Self.end(start, &buffer)
    }

    /// Interface Statistics Block (4.6): how many packets there were and how many are missing.
    ///
    /// - Parameters:
    ///   - run: From when to when the command ran: what is captured for its sake.
    ///   - flaw: Why the run was not exact; nil if it was.
    func appendStatistics(
        of direction: LinkDirection, link: Int = 0, at time: Duration, packets: UInt64,
        missing: UInt64, during run: Range<Duration>? = nil, flaw: String? = nil,
        to buffer: inout ByteBuffer
    ) {
        let start = Self.begin(.statistics, &buffer)
        buffer.append(Self.interface(of: direction, link: link))
        appendTime(time, to: &buffer)
        if missing > 0 {
            Self.append(
                .comment, "\(missing) packets are missing: the disk was too slow to take them",
                to: &buffer)
        }
        Self.append(.comment, flaw ?? "", to: &buffer)
        for (option, time) in [(Option.start, run?.lowerBound), (.end, run?.upperBound)] {
            guard let time else { continue }
            Self.appendOption(option, length: 8, to: &buffer)
            appendTime(time, to: &buffer)
        }
        for (option, value) in [(Option.received, packets), (.missing, missing)] {
            Self.appendOption(option, length: 8, to: &buffer)
            buffer.append(value)
        }
        Self.end(start, &buffer)
    }

    private static func interface(of direction: LinkDirection, link: Int) -> UInt32 {
        UInt32(directions.count * link + (directions.firstIndex(of: direction) ?? 0))
    }

    private func appendTime(_ time: Duration, to buffer: inout ByteBuffer) {
        let nanoseconds = (origin + time).wholeNanoseconds
        buffer.append(UInt32(truncatingIfNeeded: nanoseconds >> 32))
        buffer.append(UInt32(truncatingIfNeeded: nanoseconds))
    }

    // MARK: Parts of blocks

    private enum Block: UInt32 {
        case section = 0x0a0d_0d0a
        case interface = 1
        case statistics = 5
        case packet = 6
    }

    /// Option codes; each block type has its own.
    private enum Option {
        case comment
        case hardware, system, application
        case interfaceName, interfaceDescription, timeResolution
        case packetFlags, packetID
        case start, end, received, missing

        var code: UInt16 {
            switch self {
            case .comment: 1
            case .hardware, .interfaceName, .packetFlags, .start: 2
            case .system, .interfaceDescription, .end: 3
            case .application, .received: 4
            case .packetID, .missing: 5
            case .timeResolution: 9
            }
        }
    }

    /// The longest text; whoever runs a command of a million words knows it.
    private static let textLimit = 2000

    private static func begin(_ block: Block, _ buffer: inout ByteBuffer) -> Int {
        let start = buffer.count
        buffer.append(block.rawValue)
        // The length, filled in at the end.
        buffer.append(0 as UInt32)
        return start
    }

    /// Ends the options and the block; the block's length is at both ends.
    private static func end(_ start: Int, _ buffer: inout ByteBuffer) {
        buffer.append(0 as UInt32)
        let length = UInt32(buffer.count - start + 4)
        buffer.set(length, at: start + 4)
        buffer.append(length)
    }

    private static func append(_ option: Option, _ text: String, to buffer: inout ByteBuffer) {
        guard !text.isEmpty else { return }
        var text = text
        if text.utf8.count > textLimit { text = String(text.prefix(textLimit / 4)) + "…" }
        appendOption(option, length: text.utf8.count, to: &buffer)
        buffer.append(text)
        buffer.pad()
    }

    private static func appendOption(
        _ option: Option, length: Int, to buffer: inout ByteBuffer
    ) {
        buffer.append(option.code)
        buffer.append(UInt16(length))
    }
}
