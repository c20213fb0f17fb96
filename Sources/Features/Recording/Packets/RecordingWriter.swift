import LinkModel
import LinuxKernel
import PacketLoop
import SystemPackage

/// What a capture says of the whole run.
struct RecordingEnd: Sendable {
    /// From when to when the command ran, by the monotonic clock; nil: unknown.
    var run: Range<Duration>?
    /// Why the run was not exact.
    var flaw: String?
}

/// Writes packets to the requested files.
struct RecordingWriter: ~Copyable {
    private let clock: LoopClock
    private let links: [ObservedLink]
    private let capture: Pcapng
    private let log: PacketLog
    private var captureStream: RecordingStream?
    private var logStream: RecordingStream?
    /// The highest number delivered so far in each direction.
    private var latest: PacketCounts

    /// Writes the headers immediately.
    init(
        _ request: RecordingRequest, clock: LoopClock, remark: String
    ) throws(KernelError) {
        self.clock = clock
        links = request.links
        latest = PacketCounts(links: links.count)
        capture = Pcapng(origin: clock.realtime)
        log = PacketLog(
            request.log.map { PacketLog.Format(path: $0.path) } ?? .jsonLines,
            interfaces: links.count > 1 ? links.map(\.name) : [])
        if let file = request.capture {
            captureStream = try RecordingStream(file, links: links.count)
            captureStream?.append { [links] buffer in
                Pcapng.appendSection(
                    .current(request.application), comment: remark, to: &buffer)
                for link in links {
                    for direction in Pcapng.directions {
                        Pcapng.appendInterface(
                            named: link.name(of: direction),
                            description: direction == .up
                                ? link.upDescription : link.downDescription,
                            to: &buffer)
                    }
                }
            }
        }
        if let file = request.log {
            logStream = try RecordingStream(file, links: links.count)
            let log = log
            logStream?.append { log.appendHeader(to: &$0) }
        }
        flush()
    }

    /// Writes all packets of a batch.
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
        let last = latest[record.link, record.direction]
        let isReordered = number < last
        latest[record.link, record.direction] = max(number, last)
        return PacketEnd(record: record, isReordered: isReordered)
    }

    private mutating func appendToCapture(_ end: PacketEnd, _ frame: Span<UInt8>) {
        guard captureStream != nil else { return }
        let conditions = links[end.record.link].conditions
        let way = end.record.direction == .up ? conditions.up : conditions.down
        let comment = end.comment(management: way.aqm)
        let capture = capture
        captureStream?.append(end.record) {
            capture.appendPacket(end.record, frame: frame, comment: comment, to: &$0)
        }
    }

    private mutating func appendToLog(_ end: PacketEnd, _ frame: Span<UInt8>) {
        guard logStream != nil else { return }
        let log = log
        logStream?.append(end.record) { log.append(end, frame: frame, to: &$0) }
    }

    /// Writes the trailers.
    ///
    /// - Parameter missing: The packets for which there was no time.
    mutating func finish(_ end: RecordingEnd, missing: PacketCounts) {
        flush()
        let written = captureStream?.packets ?? PacketCounts(links: links.count)
        let (capture, links, now) = (capture, links.indices, clock.now)
        let start = clock.monotonic
        let run = end.run.map { ($0.lowerBound - start)..<($0.upperBound - start) }
        captureStream?.append { buffer in
            for link in links {
                for direction in Pcapng.directions {
                    capture.appendStatistics(
                        of: direction, link: link, at: now,
                        packets: written[link, direction] + missing[link, direction],
                        missing: missing[link, direction], during: run, flaw: end.flaw, to: &buffer)
                }
            }
        }
        flush()
    }

    private mutating func flush() {
        captureStream?.flush()
        logStream?.flush()
    }

    /// The contents of the files so far.
    func report(missing: PacketCounts) -> RecordingReport {
        RecordingReport(
            capture: captureStream?.report(missing: missing),
            log: logStream?.report(missing: missing))
    }
}
