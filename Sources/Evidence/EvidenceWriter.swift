import LinkModel
import LinuxKernel
import PacketLoop
import SystemPackage

/// Writes packets into the files that were asked for.
struct EvidenceWriter: ~Copyable {
    private let clock: LoopClock
    private let conditions: LinkConditions
    private let capture: Pcapng
    private let logFormat: PacketLog.Format
    private var captureStream: EvidenceStream?
    private var logStream: EvidenceStream?
    /// The highest number that came out in each direction.
    private var latest = PacketCounts()

    /// Writes at once what stands before the packets.
    init(
        _ request: EvidenceRequest, conditions: LinkConditions, clock: LoopClock, remark: String
    ) throws(KernelError) {
        self.clock = clock
        self.conditions = conditions
        capture = Pcapng(origin: clock.realtime)
        logFormat = request.log.map { PacketLog.Format(path: $0.path) } ?? .jsonLines
        if let file = request.capture {
            captureStream = try EvidenceStream(file)
            captureStream?.append { buffer in
                Pcapng.appendSection(.current(), comment: remark, to: &buffer)
                for direction in Pcapng.directions {
                    Pcapng.appendInterface(
                        named: direction.rawValue,
                        description: direction == .up
                            ? request.upDescription : request.downDescription,
                        to: &buffer)
                }
            }
        }
        if let file = request.log {
            logStream = try EvidenceStream(file)
            let format = logFormat
            logStream?.append { PacketLog.appendHeader(format, to: &$0) }
        }
        flush()
    }

    /// Writes down all packets of a batch.
    mutating func write(_ batch: borrowing PacketBatch) {
        for index in 0..<batch.count {
            let end = end(of: batch.record(index))
            batch.withFrame(index) { frame in
                appendToCapture(end, frame)
                appendToLog(end, frame)
            }
        }
        flush()
    }

    private mutating func end(of record: PacketRecord) -> PacketEnd {
        guard let number = record.number, record.isDelivered else {
            return PacketEnd(record: record)
        }
        let isReordered = number < latest[record.direction]
        latest[record.direction] = max(number, latest[record.direction])
        return PacketEnd(record: record, isReordered: isReordered)
    }

    private mutating func appendToCapture(_ end: PacketEnd, _ frame: Span<UInt8>) {
        guard captureStream != nil else { return }
        let direction = end.record.direction
        let way = direction == .up ? conditions.up : conditions.down
        let comment = end.comment(management: way.aqm)
        let capture = capture
        captureStream?.append(direction) {
            capture.appendPacket(end.record, frame: frame, comment: comment, to: &$0)
        }
    }

    private mutating func appendToLog(_ end: PacketEnd, _ frame: Span<UInt8>) {
        guard logStream != nil else { return }
        let format = logFormat
        logStream?.append(end.record.direction) {
            PacketLog.append(end, frame: frame, format, to: &$0)
        }
    }

    /// Writes what stands behind the packets.
    ///
    /// - Parameter missing: the packets that nobody had time to write down.
    mutating func finish(missing: PacketCounts) {
        flush()
        let written = captureStream?.packets ?? PacketCounts()
        let (capture, now) = (capture, clock.now)
        captureStream?.append { buffer in
            for direction in Pcapng.directions {
                capture.appendStatistics(
                    of: direction, at: now, packets: written[direction] + missing[direction],
                    missing: missing[direction], to: &buffer)
            }
        }
        flush()
    }

    private mutating func flush() {
        captureStream?.flush()
        logStream?.flush()
    }

    /// What the files hold by now.
    func report(missing: PacketCounts) -> EvidenceReport {
        EvidenceReport(
            capture: captureStream?.report(missing: missing),
            log: logStream?.report(missing: missing))
    }
}
