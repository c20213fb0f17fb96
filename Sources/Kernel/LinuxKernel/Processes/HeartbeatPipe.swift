import Glibc
import SystemPackage

/// A pipe by which a process shows another one that it goes on.
public struct HeartbeatPipe: Sendable {
    /// What the one who listens hears.
    public enum Sound: Sendable, Hashable {
        /// At least one beat.
        case beat
        /// Nothing in time.
        case silence
        /// The end of whoever has beaten.
        case end
    }

    private let ends: PipeEnds

    /// Makes one, for a process that makes a copy of itself next; programs do not get it.
    public init() throws(KernelError) {
        ends = try PipeEnds()
        // Who listens may stand still for long, and beats are to be lost then.
        _ = fcntl(ends.writer.rawValue, F_SETFL, O_NONBLOCK)
    }

    /// Leaves the listening to the other process.
    public func becomeBeater() { try? ends.reader.close() }

    /// Leaves the beating to the other process.
    public func becomeListener() { try? ends.writer.close() }

    /// Beats. Not to be called by a thread that is not to get `SIGPIPE`.
    ///
    /// - Returns: whether there is anybody to listen.
    public func beat() -> Bool {
        var byte: UInt8 = 0
        return unsafe write(ends.writer.rawValue, &byte, 1) >= 0 || errno != EPIPE
    }

    /// Waits for the next sound.
    public func listen(within timeout: Duration) -> Sound {
        let beats = Readiness.read(from: ends.reader, atMost: 1024, until: .now + timeout)
        return beats.map { $0.isEmpty ? .end : .beat } ?? .silence
    }
}
