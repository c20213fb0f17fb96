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

    private let reader: FileDescriptor
    private let writer: FileDescriptor

    /// Makes one, for a process that makes a copy of itself next; programs do not get it.
    public init() throws(KernelError) {
        do {
            (reader, writer) = try HelperProgram.pipe()
        } catch {
            throw KernelError(.create, subject: "a pipe", errno: error as? Errno ?? .ioError)
        }
        // Who listens may stand still for long, and beats are to be lost then.
        _ = fcntl(writer.rawValue, F_SETFL, O_NONBLOCK)
    }

    /// Leaves the listening to the other process.
    public func becomeBeater() { try? reader.close() }

    /// Leaves the beating to the other process.
    public func becomeListener() { try? writer.close() }

    /// Beats. Not to be called by a thread that is not to get `SIGPIPE`.
    ///
    /// - Returns: whether there is anybody to listen.
    public func beat() -> Bool {
        var byte: UInt8 = 0
        return unsafe write(writer.rawValue, &byte, 1) >= 0 || errno != EPIPE
    }

    /// Waits for the next sound.
    public func listen(within timeout: Duration) -> Sound {
        guard !Readiness.wait(for: [reader], timeout: timeout).isEmpty else { return .silence }
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count =
            (try? unsafe buffer.withUnsafeMutableBytes { try unsafe reader.read(into: $0) }) ?? 0
        return count > 0 ? .beat : .end
    }
}
