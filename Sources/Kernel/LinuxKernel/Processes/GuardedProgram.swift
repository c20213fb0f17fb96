import Synchronization
public import SystemPackage

/// A helper program that ends with this process, even if that is killed.
///
/// A guardian, a process in a session of its own, waits for the end of this one and of the
/// program, and outlives neither. Processes that this one forks later, without executing another
/// program, keep the guardian waiting.
public final class GuardedProgram: Sendable {
    private let guardian: Int32
    private let lifeline: Mutex<OwnedDescriptor?>
    private let ready: Pipe
    private let output: Pipe

    /// Starts a program and its guardian in the namespaces of the calling thread.
    ///
    /// - Parameters:
    ///   - readyNumber: the number of the descriptor by which the program says that it is ready.
    ///   - streams: what it reads from and writes both its outputs to; nil: nothing, and what
    ///     `message` tells.
    ///   - kept: a descriptor that the guardian keeps open as long as the program runs.
    ///   - parameters: what the guardian puts back.
    public init(
        _ path: String, _ arguments: [String], readyNumber: Int,
        streams: (input: FileDescriptor, output: FileDescriptor)? = nil,
        keeping kept: FileDescriptor? = nil,
        parameters: borrowing SharedParameters = SharedParameters()
    ) throws(KernelError) {
        do {
            let life = try PipeEnds()
            defer { try? life.reader.close() }
            lifeline = Mutex(OwnedDescriptor(adopting: life.writer))
            var ready = try Pipe()
            var output = try Pipe()
            var program = Program(path, arguments)
            let written = streams?.output ?? output.writer
            program.streams = [streams?.input, written, written, nil]
            program.streams[readyNumber] = ready.writer
            program.leadsGroup = true
            // Some programs lose this by changing their privileges: the guardian kills as well.
            program.diesWithParent = true
            program.guardian = Program.Guardian(
                lifeline: life.reader, kept: kept, parameters: parameters.shims)
            guardian = try program.start()
            ready.closeWriter()
            output.closeWriter()
            self.ready = ready
            self.output = output
        } catch {
            throw KernelError(starting: path, error)
        }
    }

    deinit {
        stop()
    }

    /// Waits until the program has said anything by its descriptor; false if it ends before, or
    /// takes longer than `timeout`.
    public func isReady(within timeout: Duration) -> Bool {
        Readiness.read(from: ready.reader, until: .now + timeout)?.isEmpty == false
    }

    /// Whether the program has ended.
    public var hasEnded: Bool {
        lifeline.withLock { $0 == nil } || (try? ProcessDescriptor(guardian))?.hasEnded ?? true
    }

    private static let silence = Duration.milliseconds(100)

    /// What the program has written to its outputs up to now, in one line.
    public func message() -> String {
        var text = ""
        while let part = Readiness.read(from: output.reader, until: .now + Self.silence),
            !part.isEmpty
        {
            text += String(decoding: part, as: UTF8.self)
        }
        return text.split(whereSeparator: \.isNewline).suffix(3).joined(separator: "; ")
    }

    /// Ends the program and waits until it is gone and everything is put back.
    public func stop() {
        let isRunning = lifeline.withLock { lifeline in
            let isRunning = lifeline != nil
            lifeline = nil
            return isRunning
        }
        if isRunning { _ = Process.wait(for: guardian) }
    }
}
