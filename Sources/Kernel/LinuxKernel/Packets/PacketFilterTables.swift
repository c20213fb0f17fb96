import Glibc
import Synchronization
public import SystemPackage

/// A connection to the packet filter of a network namespace, which can own tables (`flags owner`):
/// the kernel removes them when the connection ends.
///
/// The connection is a child process of `nft --interactive`, which the kernel kills when this
/// process ends in whatever way.
public struct PacketFilterTables: ~Copyable, Sendable {
    /// Why a batch of commands failed; none of them was carried out.
    public struct Refusal: Error, Hashable, Sendable {
        /// The program's message, in one line.
        public let message: String
        /// Whether the kernel lacks a required feature.
        public let isUnsupported: Bool
        /// Whether the program did not answer in time, so that it may still carry them out.
        public let isSilence: Bool

        init(_ message: String, isUnsupported: Bool = false, isSilence: Bool = false) {
            self.message = message
            self.isUnsupported = isUnsupported
            self.isSilence = isSilence
        }
    }

    private let process: Atomic<Int32>
    private let guarded: GuardedProgram?
    private let commands: OwnedDescriptor
    private let messages: OwnedDescriptor
    /// How long commands may take.
    public static let patience = Duration.seconds(20)

    /// The process ID of nft; zero if it was ended, or has a guardian.
    public var processID: Int32 { process.load(ordering: .relaxed) }

    /// Becomes readable when the connection may have ended.
    public var descriptor: FileDescriptor { messages.raw }

    /// Whether the connection has ended. Call when the descriptor is readable.
    public var hasEnded: Bool { Readiness.read(from: messages.raw, until: .now)?.isEmpty == true }

    /// Connects to the namespace of the calling thread, which has to live as long as the
    /// connection; nil if nftables is not installed.
    public static func open() throws(KernelError) -> PacketFilterTables? {
        try open { path, input, messages, _ in
            var program = Program(path, arguments)
            program.streams = [input, Program.nothing, messages]
            program.diesWithParent = true
            return (try program.start(), nil)
        }
    }

    /// Connects likewise, through a process whose guardian restores kernel parameters before the
    /// tables are removed. Call only after forking all child processes.
    public static func open(
        before parameters: borrowing SharedParameters
    ) throws(KernelError) -> PacketFilterTables? {
        try open { path, input, messages, commands in
            let program = try GuardedProgram(
                path, arguments, readyNumber: 1, streams: (input, messages), keeping: commands,
                parameters: parameters)
            return (0, program)
        }
    }

    private static let arguments = ["--interactive"]

    private static func open(
        _ start: (
            _ path: String, _ input: FileDescriptor, _ messages: FileDescriptor,
            _ commands: FileDescriptor
        ) throws -> (process: Int32, guarded: GuardedProgram?)
    ) throws(KernelError) -> PacketFilterTables? {
        guard let path = HelperProgram.path(of: "nft") else { return nil }
        do {
            let commands = try PipeEnds()
            defer { try? commands.reader.close() }
            let commandsOwner = OwnedDescriptor(adopting: commands.writer)
            // A write must not block on a program that reads nothing.
            _ = fcntl(commands.writer.rawValue, F_SETFL, O_NONBLOCK)
            let messages = try PipeEnds()
            defer { try? messages.writer.close() }
            let messagesOwner = OwnedDescriptor(adopting: messages.reader)
            let (process, guarded) = try start(
                path, commands.reader, messages.writer, commands.writer)
            return PacketFilterTables(
                process: process, guarded: guarded, commands: commandsOwner,
                messages: messagesOwner)
        } catch {
            throw KernelError(starting: path, error)
        }
    }

    private init(
        process: Int32, guarded: GuardedProgram?, commands: consuming OwnedDescriptor,
        messages: consuming OwnedDescriptor
    ) {
        self.process = Atomic(process)
        self.guarded = guarded
        self.commands = commands
        self.messages = messages
    }

    deinit { end() }

    /// Ends the connection now. The kernel removes its tables.
    public borrowing func end() {
        guarded?.stop()
        let process = process.exchange(0, ordering: .relaxed)
        guard process > 0 else { return }
        Process.signal(SIGKILL, to: process)
        _ = Process.wait(for: process)
    }

    /// Carries out commands, one on each line, in one transaction. Equivalent to `nft -f -`.
    ///
    /// Requires `CAP_NET_ADMIN`. Not for a thread that must not get `SIGPIPE`.
    public borrowing func run(
        _ lines: String, within patience: Duration = patience
    ) throws(Refusal) {
        let deadline = ContinuousClock.now + patience
        // A line is a transaction. nft answers an invalid command only when all commands before it
        // are done.
        let line = lines.split(separator: "\n").joined(separator: "; ")
        let end = "end-of-\(UInt64.random(in: .min ... .max))"
        try write("\(line)\n\(end)\n", until: deadline)
        try check(try messages(until: end, deadline))
    }

    private static let silence = Refusal("nft does not answer", isSilence: true)

    private borrowing func write(
        _ text: String, until deadline: ContinuousClock.Instant
    ) throws(Refusal) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            guard Readiness.isWritable(commands.raw, within: max(.zero, deadline - .now)) else {
                throw Self.silence
            }
            do {
                let count = try unsafe rest.withUnsafeBytes { try unsafe commands.raw.write($0) }
                rest = rest.dropFirst(count)
            } catch Errno.wouldBlock {
                continue
            } catch {
                throw Refusal("nft has ended: \(error)")
            }
        }
    }

    private borrowing func messages(
        until end: String, _ deadline: ContinuousClock.Instant
    ) throws(Refusal) -> String {
        var text = ""
        while !text.contains(end) {
            guard let part = Readiness.read(from: messages.raw, until: deadline) else {
                throw Self.silence
            }
            guard !part.isEmpty else { throw Self.refusal(text) }
            text += String(decoding: part, as: UTF8.self)
        }
        return text
    }

    /// The last error is that of the invalid command.
    private borrowing func check(_ text: String) throws(Refusal) {
        let errors = text.split(whereSeparator: \.isNewline).filter { $0.contains("Error:") }
        guard errors.count > 1 else { return }
        throw Self.refusal(errors.dropLast().joined(separator: "\n"))
    }

    private static func refusal(_ text: String) -> Refusal {
        let lines = text.split(whereSeparator: \.isNewline)
        let unsupported = ["not supported", "No such file or directory"]
        return Refusal(
            lines.first.map(String.init) ?? "nft has ended",
            isUnsupported: lines.contains { line in unsupported.contains { line.contains($0) } })
    }
}
