import LinkModel
import LinkUnits
import LinuxKernel
import PacketLoop
import Recording
import SystemPackage

/// Reads the packets of a pcapng or pcap file one after the other, in the memory of one block.
///
/// The section numbers refer to draft-ietf-opsawg-pcapng, as in `Recording`. A file that ends or
/// breaks in the middle gives the packets before that place.
package struct CaptureReader {
    /// What a capture says besides its packets.
    package struct Facts: Sendable {
        /// The program that wrote it.
        package var application = ""
        /// What was captured.
        package var comment = ""
        package var packets = 0
        /// Packets whose comments say what the link did to them.
        package var packetsWithFate = 0
        /// Packets that are neither TCP nor UDP, or are fragments.
        package var otherPackets = 0
        /// Packets that the capture lacks, as it says itself.
        package var missingPackets: UInt64 = 0
        /// Why the machine did not do exactly what the conditions say, as the program found.
        package var flaw: String?
        /// From when to when the command ran.
        package var run: Range<Duration>?
        /// Link types that are not read, with the packets of each.
        package var unknownLinkTypes: [UInt16: Int] = [:]
        /// Which packets are not read, in a capture without others.
        package var unreadPackets: String? {
            guard let (type, count) = unknownLinkTypes.max(by: { $0.value < $1.value }) else {
                return nil
            }
            let packets = "\(count) packet\(count == 1 ? "" : "s")"
            return "has \(packets) of link type \(type), which is not read; those that are: "
                + CaptureInterface.knownLinkTypes
        }

        /// Where and how the file breaks off.
        package var damage: String?

        /// Whether linkcond wrote it.
        package var isOurs: Bool { application.hasPrefix("linkcond") || packetsWithFate > 0 }
    }

    private enum Block: UInt32 {
        case section = 0x0a0d_0d0a
        case interface = 1
        case statistics = 5
        case packet = 6
    }

    /// A longer block is not of a capture.
    private static let longestBlock = 16 << 20

    package let name: String
    private var stream: CaptureStream
    private var order = ByteOrder.little
    private var interfaces: [CaptureInterface] = []
    package private(set) var facts = Facts()
    private var isOver = false
    /// What a pcap file says in its header; nil for pcapng.
    private var classic: ClassicCapture?

    /// - Parameter name: The file's name, for messages.
    package init(_ stream: CaptureStream, name: String) throws(ExplanationError) {
        self.stream = stream
        self.name = name
        try expectSection()
    }

    private mutating func expectSection() throws(ExplanationError) {
        guard try require(12) else {
            let size = stream.available
            throw ExplanationError(
                size == 0
                    ? "\(name): is empty; a capture of linkcond run --pcap begins with a header"
                    : "\(name): has only \(size) bytes, too few for a capture")
        }
        let magic = stream.withNext(4) { ByteOrder.little.long($0, at: 0) }
        switch magic {
        case Block.section.rawValue: return
        case 0xa1b2_c3d4, 0xd4c3_b2a1, 0xa1b2_3c4d, 0x4d3c_b2a1:
            guard try require(24) else {
                throw ExplanationError("\(name): is a pcap file that is cut off in its header")
            }
            classic = stream.withNext(24) { ClassicCapture($0) }
            stream.consume(24)
        case _ where magic & 0xffff == 0x8b1f:
            throw ExplanationError(
                "\(name): is compressed; unpack it first: zcat FILE | linkcond explain -")
        default:
            throw ExplanationError(
                "\(name): is neither a pcapng nor a pcap file; name a capture of linkcond run "
                    + "--pcap")
        }
    }

    private mutating func require(_ count: Int) throws(ExplanationError) -> Bool {
        do {
            return try stream.require(count)
        } catch {
            throw ExplanationError(
                "\(name): \(InputFileError.unreadable(error))", status: .cannotRead)
        }
    }

    /// The next packet that is TCP or UDP; nil at the end.
    package mutating func next() throws(ExplanationError) -> CapturedPacket? {
        while !isOver {
            if let classic {
                guard let packet = try nextRecord(of: classic) else { break }
                if let packet = packet.packet { return packet }
                continue
            }
            guard let (type, length) = try nextBlock() else { break }
            let body = 8..<length - 4
            var packet: CapturedPacket?
            switch Block(rawValue: type) {
            case .section: readSection(length)
            case .interface: readInterface(body)
            case .statistics: readStatistics(body)
            case .packet: packet = readPacket(body)
            case nil: break
            }
            stream.consume(length)
            if let packet { return packet }
        }
        isOver = true
        return nil
    }

    /// The type and length of the next whole block; nil at the end, or if there is none.
    private mutating func nextBlock() throws(ExplanationError) -> (type: UInt32, length: Int)? {
        let place = stream.offset
        guard try require(12) else {
            if stream.available > 0 { facts.damage = "is cut off at byte \(place)" }
            return nil
        }
        let (type, magic) = stream.withNext(12) {
            (order.long($0, at: 0), ByteOrder.little.long($0, at: 8))
        }
        // Each section has its own byte order.
        if type == Block.section.rawValue {
            switch magic {
            case 0x1a2b_3c4d: order = .little
            case 0x4d3c_2b1a: order = .big
            default:
                facts.damage = "has no byte order in its header at byte \(place)"
                return nil
            }
        }
        let length = Int(stream.withNext(8) { order.long($0, at: 4) })
        guard length >= 12, length % 4 == 0, length <= Self.longestBlock else {
            facts.damage = "has a block of \(length) bytes at byte \(place), which cannot be"
            return nil
        }
        guard try require(length) else {
            facts.damage = "is cut off at byte \(place + UInt64(stream.available))"
            return nil
        }
        guard stream.withNext(length, { Int(order.long($0, at: length - 4)) }) == length else {
            facts.damage = "has a block with two different lengths at byte \(place)"
            return nil
        }
        return (type, length)
    }

    // MARK: Records of a pcap file

    /// The next record, which may be no packet that is read; nil at the end.
    private mutating func nextRecord(
        of capture: ClassicCapture
    ) throws(ExplanationError) -> FoundPacket? {
        let place = stream.offset
        guard try require(ClassicCapture.recordHeader) else {
            if stream.available > 0 { facts.damage = "is cut off at byte \(place)" }
            return nil
        }
        let record = stream.withNext(ClassicCapture.recordHeader) { capture.record($0) }
        guard record.captured <= Self.longestBlock else {
            facts.damage =
                "has a packet of \(record.captured) bytes at byte \(place), which cannot be"
            return nil
        }
        let length = ClassicCapture.recordHeader + record.captured
        guard try require(length) else {
            facts.damage = "is cut off at byte \(place + UInt64(stream.available))"
            return nil
        }
        facts.packets += 1
        let number = facts.packets
        let result = stream.withNext(length) { bytes in
            FoundPacket(
                frame: bytes.extracting(droppingFirst: ClassicCapture.recordHeader), number,
                at: record.time, missing: record.original - record.captured, capture.interface)
        }
        stream.consume(length)
        count(result)
        return result
    }

    private mutating func count(_ result: FoundPacket) {
        if result.hasFate { facts.packetsWithFate += 1 }
        if let type = result.unknownLinkType { facts.unknownLinkTypes[type, default: 0] += 1 }
        if result.packet == nil, result.unknownLinkType == nil { facts.otherPackets += 1 }
    }

    // MARK: Blocks

    private mutating func readSection(_ length: Int) {
        // Interfaces are numbered anew in each section.
        interfaces = []
        guard length >= 28 else { return }
        let order = order
        var (comment, application) = (facts.comment, facts.application)
        stream.withNext(length) { bytes in
            order.forEachOption(bytes.extracting(0..<length - 4), from: 24) { code, value in
                if code == 1 { comment = value.text }
                if code == 4 { application = value.text }
            }
        }
        (facts.comment, facts.application) = (comment, application)
    }

    private mutating func readInterface(_ body: Range<Int>) {
        guard body.count >= 8 else { return }
        let order = order
        let interface = stream.withNext(body.upperBound) { bytes in
            var interface = CaptureInterface(linkTypeNumber: order.word(bytes, at: 8))
            order.forEachOption(bytes, from: body.lowerBound + 8) { code, value in
                switch code {
                case 2: interface.name = value.text
                case 3: interface.description = value.text
                case 9 where value.count == 1: interface.setResolution(value[0])
                default: break
                }
            }
            return interface
        }
        interfaces.append(interface)
    }

    private mutating func readStatistics(_ body: Range<Int>) {
        guard body.count >= 12 else { return }
        let order = order
        let (number, start, end, missing, flaw) = stream.withNext(body.upperBound) { bytes in
            var (start, end, missing): (UInt64?, UInt64?, UInt64) = (nil, nil, 0)
            var flaw: String?
            order.forEachOption(bytes, from: body.lowerBound + 12) { code, value in
                switch code {
                case 1 where value.hasPrefix(CaptureFlaw.beginning): flaw = value.text
                case 2 where value.count == 8: start = order.time(value, at: 0)
                case 3 where value.count == 8: end = order.time(value, at: 0)
                case 5 where value.count == 8: missing = order.wide(value, at: 0)
                default: break
                }
            }
            return (Int(order.long(bytes, at: body.lowerBound)), start, end, missing, flaw)
        }
        facts.flaw = facts.flaw ?? flaw
        facts.missingPackets = facts.missingPackets.addingSaturated(missing)
        guard interfaces.indices.contains(number), let start, let end else { return }
        let (first, last) = (interfaces[number].time(start), interfaces[number].time(end))
        if first < last { facts.run = first..<last }
    }

    private mutating func readPacket(_ body: Range<Int>) -> CapturedPacket? {
        facts.packets += 1
        guard body.count >= 20 else { return nil }
        let (order, interfaces, number) = (order, interfaces, facts.packets)
        let result = stream.withNext(body.upperBound) { bytes in
            FoundPacket(bytes.extracting(body), number, order, interfaces)
        }
        count(result)
        return result.packet
    }
}
