import CLinux
import Glibc
import Synchronization
public import SystemPackage

/// A helper program that ends with this process, even if that is killed.
///
/// A guardian, a process in a session of its own, waits for the end of this one and of the
/// program, and outlives neither. Processes that this one forks later, without executing another
/// program, keep the guardian waiting.
public final class GuardedProgram: Sendable {
    private let guardian: pid_t
    private let lifeline: Mutex<OwnedDescriptor?>
    private let ready: OwnedDescriptor
    private let output: OwnedDescriptor

    /// Starts a program and its guardian in the namespaces of the calling thread.
    ///
    /// - Parameters:
    ///   - readyNumber: the number of the descriptor by which the program says that it is ready.
    ///   - streams: what it reads from and writes both its outputs to; nil: nothing, and what
    ///     `message` tells.
    ///   - kept: a descriptor that the guardian keeps open as long as the program runs.
    ///   - parameters: what the guardian puts back.
    public init(
        _ path: String, _ arguments: [String], readyNumber: Int32,
        streams: (input: FileDescriptor, output: FileDescriptor)? = nil,
        keeping kept: FileDescriptor? = nil,
        parameters: borrowing SharedParameters = SharedParameters()
    ) throws(KernelError) {
        do {
            let lifeline = try OwnedPipe()
            let ready = try OwnedPipe()
            let output = try OwnedPipe()
            let shims = parameters.shims
            let status = unsafe HelperProgram.withWords([path] + arguments) { words in
                unsafe path.withCString { path in
                    unsafe shims.withUnsafeBufferPointer { shims in
                        var guarded = unsafe lc_guarded(
                            path: path, arguments: words, environment: environ,
                            input: streams?.input.rawValue ?? -1, kept: kept?.rawValue ?? -1,
                            ready: ready.writer.raw.rawValue, ready_number: readyNumber,
                            output: (streams?.output ?? output.writer.raw).rawValue,
                            lifeline: lifeline.reader.raw.rawValue,
                            parameters: shims.baseAddress, parameter_count: Int32(shims.count))
                        return unsafe lc_start_guarded(&guarded)
                    }
                }
            }
            guardian = try checked(status)
            self.lifeline = Mutex(lifeline.takeWriter())
            self.ready = ready.takeReader()
            self.output = output.takeReader()
        } catch {
            throw KernelError(.create, subject: path, errno: error as? Errno ?? .ioError)
        }
    }

    private struct OwnedPipe: ~Copyable {
        let reader: OwnedDescriptor
        let writer: OwnedDescriptor

        init() throws {
            let ends = try PipeEnds()
            reader = OwnedDescriptor(adopting: ends.reader)
            writer = OwnedDescriptor(adopting: ends.writer)
        }

        consuming func takeReader() -> OwnedDescriptor { reader }
        consuming func takeWriter() -> OwnedDescriptor { writer }
    }

    deinit {
        stop()
    }

    /// Waits until the program has said anything by its descriptor; false if it ends before, or
    /// takes longer than `timeout`.
    public func isReady(within timeout: Duration) -> Bool {
        Self.read(ready.raw, within: timeout)?.isEmpty == false
    }

    /// What the program has written to its outputs up to now, in one line.
    public func message() -> String {
        var text = ""
        while let part = Self.read(output.raw, within: .milliseconds(100)), !part.isEmpty {
            text += part
        }
        return text.split(whereSeparator: \.isNewline).suffix(3).joined(separator: "; ")
    }

    /// What comes from a descriptor, empty at its end; nil if nothing comes in time.
    private static func read(_ descriptor: FileDescriptor, within timeout: Duration) -> String? {
        var poll = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(max(0, (timeout / .milliseconds(1)).rounded(.up)))
        var status: Int32
        repeat {
            status = unsafe Glibc.poll(&poll, 1, milliseconds)
        } while status < 0 && errno == EINTR
        guard status > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count =
            (try? unsafe buffer.withUnsafeMutableBytes { try unsafe descriptor.read(into: $0) })
            ?? 0
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    /// Ends the program and waits until it is gone and everything is put back.
    public func stop() {
        let isRunning = lifeline.withLock { lifeline in
            let isRunning = lifeline != nil
            lifeline = nil
            return isRunning
        }
        var status: Int32 = 0
        while isRunning, unsafe waitpid(guardian, &status, 0) < 0, errno == EINTR {}
    }
}
