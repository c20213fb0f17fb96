public import LinuxKernel
public import PacketLoop
import Synchronization
import SystemPackage

/// Writes down what becomes of each packet.
///
/// Theory of operation. The loop's threads, which must not wait, copy packets into memory that was
/// taken beforehand (`RecordQueue`); a thread of lower urgency takes them out many at a time, puts
/// them into the formats and writes (`RecordingWriter`). Where a file cannot be written as fast as
/// packets come, some are missing in it, which it says itself, and the report as well: the link
/// goes on as it would without.
public final class PacketRecorder: PacketObserver {
    /// The memory of each of two batches: 30 ms of 10 Gbit/s.
    private static let batchBytes = 32 << 20
    /// How many bytes hold all headers that the log tells of.
    private static let headerBytes = 256
    /// How often packets are taken out: before a batch is full.
    private static let interval = Duration.milliseconds(20)
    /// How long a file may take for what is left at the end.
    public static let patience = Duration.seconds(30)

    private let queue: RecordQueue
    private let writer: Mutex<RecordingWriter>
    private let report: Mutex<RecordingReport>
    private let end: WakeUp
    private let done: WakeUp
    private let patience: Duration

    /// Begins the files of `request`.
    ///
    /// - Parameters:
    ///   - clock: the loop's.
    ///   - remark: what a capture file says of itself.
    ///   - patience: how long a file may take for what is left at the end.
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

    /// Starts the thread that writes.
    public func start() throws(KernelError) {
        _ = try KernelThread(named: "recording") { [self] in run() }
    }

    /// Keeps a packet until it is written; without waiting, on any thread.
    public func observed(_ record: PacketRecord, frame: Span<UInt8>) {
        queue.append(record, frame: frame)
    }

    /// What the loop of one of several links tells of its packets.
    public func observer(ofLink link: Int) -> any PacketObserver {
        LinkObserver(recorder: self, link: link)
    }

    /// Writes what is left and says what the files hold. To be called when the loop has stopped.
    public func finish() -> RecordingReport {
        end.signal()
        let isDone = !Readiness.wait(for: [done.descriptor], timeout: patience).isEmpty
        return report.withLock { report in
            // The thread waits for a file, such as a pipe that nobody reads, and goes on to do so.
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
        writer.withLock { $0.finish(missing: queue.missing) }
        writeReport()
        done.signal()
    }

    private func writeReport() {
        let current = writer.withLock { $0.report(missing: queue.missing) }
        report.withLock { $0 = current }
    }
}

/// Says of packets which link they were on.
private struct LinkObserver: PacketObserver {
    let recorder: PacketRecorder
    let link: Int

    func observed(_ record: PacketRecord, frame: Span<UInt8>) {
        var record = record
        record.link = link
        recorder.observed(record, frame: frame)
    }
}
