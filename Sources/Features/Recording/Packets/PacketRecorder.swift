public import LinuxKernel
public import PacketLoop
import Synchronization
import SystemPackage

/// Records what happens to each packet.
///
/// Theory of operation. The threads of the packet loop must not block. They copy packets into
/// preallocated memory (`RecordQueue`). A low-priority thread takes them out in batches, formats
/// and writes them (`RecordingWriter`). If a file cannot be written fast enough, packets are
/// missing from it; the file and the report say so. The link is never affected.
public final class PacketRecorder: PacketObserver {
    /// The memory of each of the two batches: 30 ms at 10 Gbit/s.
    private static let batchBytes = 32 << 20
    /// Enough bytes for all headers that the log shows.
    private static let headerBytes = 256
    /// How often packets are taken out, before a batch is full.
    private static let interval = Duration.milliseconds(20)
    /// How long writing the rest may take at the end.
    public static let patience = Duration.seconds(30)

    private let queue: RecordQueue
    private let writer: Mutex<RecordingWriter>
    private let report: Mutex<RecordingReport>
    private let ending = Mutex(RecordingEnd())
    private let end: WakeUp
    private let done: WakeUp
    private let patience: Duration

    /// Opens the files of `request`.
    ///
    /// - Parameters:
    ///   - clock: The packet loop's clock.
    ///   - remark: The capture file's comment.
    ///   - patience: How long writing the rest may take at the end.
    public init(
        _ request: RecordingRequest, clock: LoopClock, remark: String,
        patience: Duration = PacketRecorder.patience
    ) throws(KernelError) {
        self.patience = patience
        queue = try RecordQueue(
            bytes: Self.batchBytes, limit: request.capture == nil ? Self.headerBytes : .max,
            links: request.links.count)
        let writer = try RecordingWriter(
            request, clock: clock, remark: remark)
        report = Mutex(
            writer.report(missing: PacketCounts(links: request.links.count)))
        self.writer = Mutex(writer)
        do {
            end = try WakeUp()
            done = try WakeUp()
        } catch {
            throw KernelError(.create, subject: "an event descriptor", errno: error)
        }
    }

    /// Starts the writing thread.
    public func start() throws(KernelError) {
        _ = try KernelThread(named: "recording") { [self] in run() }
    }

    /// Queues a packet for writing, without blocking, on any thread.
    public func observed(_ record: PacketRecord, frame: Span<UInt8>) {
        queue.append(record, frame: frame)
    }

    /// The observer for the packet loop of one of several links.
    public func observer(ofLink link: Int) -> any PacketObserver {
        LinkObserver(recorder: self, link: link)
    }

    /// Writes the rest and reports what the files contain. Call this after the packet loop has
    /// stopped.
    ///
    /// - Parameters:
    ///   - run: From when to when the command ran, by `KernelClock.monotonic`.
    ///   - flaw: Why the run was not exact; nil if it was.
    public func finish(run: Range<Duration>? = nil, flaw: String? = nil) -> RecordingReport {
        // The thread may wait for a file while it has the writer.
        ending.withLock { $0 = RecordingEnd(run: run, flaw: flaw) }
        end.signal()
        let isDone = !Readiness.wait(for: [done.descriptor], timeout: patience).isEmpty
        return report.withLock { report in
            // The thread still waits for a file, such as a pipe that nobody reads.
            if !isDone { report.giveUp(observed: queue.total) }
            return report
        }
    }

    private func run() {
        KernelThread.outliveBrokenPipes()
        var isBusy = false
        var isLast = false
        while !isLast {
            isLast = !Readiness.wait(
                for: [end.descriptor], timeout: isBusy ? .zero : Self.interval
            ).isEmpty
            isBusy = queue.takeAll { batch in
                writer.withLock { $0.write(batch) }
                return batch.isHalfFull
            }
            writeReport()
        }
        let last = ending.withLock { $0 }
        writer.withLock { $0.finish(last, missing: queue.missing) }
        writeReport()
        done.signal()
    }

    private func writeReport() {
        let current = writer.withLock { $0.report(missing: queue.missing) }
        report.withLock { $0 = current }
    }
}

/// Tags packets with the number of their link.
private struct LinkObserver: PacketObserver {
    let recorder: PacketRecorder
    let link: Int

    func observed(_ record: PacketRecord, frame: Span<UInt8>) {
        var record = record
        record.link = link
        recorder.observed(record, frame: frame)
    }
}
