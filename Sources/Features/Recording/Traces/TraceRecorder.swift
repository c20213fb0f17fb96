import LinkModel
import LinkUnits
public import LinuxKernel
import PacketLoop
import SystemPackage

/// Records the packets that arrive at an interface, and how much of an upload has reached the peer.
public struct TraceRecorder: ~Copyable {
    /// What has arrived at the interface.
    public private(set) var down = TraceRecording()
    /// What has arrived at the peer, according to TCP acknowledgements.
    public private(set) var up = TraceRecording()

    /// How many frames arrived too fast to be recorded.
    public private(set) var missedFrames = 0

    private var listener: ArrivalListener
    private var acknowledged = AcknowledgedBytes()

    /// Between rounds the kernel buffers frames with their arrival times.
    private static let round = Duration.milliseconds(5)
    /// How long the command may take to end once it is asked to.
    private static let patience = Duration.seconds(5)
    private static let hangup: Int32 = 1
    private static let interrupt: Int32 = 2
    private static let kill: Int32 = 9
    private static let terminate: Int32 = 15

    /// Starts capturing.
    public init(interface: Int32) throws(KernelError) {
        listener = try ArrivalListener(interface: interface)
    }

    /// Records until the command has ended, `duration` has passed, or a signal asks to stop.
    ///
    /// - Parameter words: The command; empty: none.
    /// - Returns: The command's exit code; nil if there is none, or it was ended.
    public mutating func record(
        _ words: [RawText], as identity: LinuxKernel.Program.Identity?, for duration: Duration?
    ) throws -> Int32? {
        let signals = try SignalDescriptor([Self.hangup, Self.interrupt, Self.terminate])
        let process = words.isEmpty ? nil : try Self.start(words, as: identity)
        let start = KernelClock.monotonic
        while true {
            try takeAll()
            if process != nil, let child = LinuxKernel.Process.reapAny() {
                try takeAll()
                missedFrames += listener.takeDrops()
                return child.end.shellCode
            }
            let isOver = duration.map { KernelClock.monotonic - start >= $0 } ?? false
            if isOver || down.isFull || signals.next() != nil { break }
            _ = Readiness.wait(for: [signals.descriptor], timeout: Self.round)
        }
        if let process { Self.end(process) }
        missedFrames += Int(listener.takeDrops())
        return nil
    }

    private mutating func takeAll() throws {
        var arrivals: [PacketArrival] = []
        do throws(Errno) {
            try listener.takeAll { arrivals.append($0) }
        } catch {
            // An interface that goes down may come up again.
            guard error == .networkDown else { throw error }
        }
        for arrival in arrivals {
            down.add(arrival.length, at: arrival.time)
            guard let news = arrival.acknowledgement else { continue }
            let length = acknowledged.advance(connection: news.connection, to: news.number)
            if length.bytes > 0 { up.add(length, at: arrival.time) }
        }
    }

    private static func end(_ process: Int32) {
        LinuxKernel.Process.signal(terminate, to: process)
        let deadline = KernelClock.monotonic + patience
        while KernelClock.monotonic < deadline {
            if LinuxKernel.Process.reapAny() != nil { return }
            _ = Readiness.wait(for: [], timeout: round)
        }
        LinuxKernel.Process.signal(kill, to: process)
    }

    private static func start(
        _ words: [RawText], as identity: LinuxKernel.Program.Identity?
    ) throws -> Int32 {
        var program = LinuxKernel.Program(words)
        program.identity = identity
        do {
            return try program.start()
        } catch {
            let name = words.first?.description ?? ""
            guard error.errno == .noSuchFileOrDirectory || !program.isInPath else {
                throw RecordingError(
                    "\(name): cannot be executed: \(error.errno)", status: .notExecutable)
            }
            throw RecordingError("\(name): command not found", status: .notFound)
        }
    }
}
