import Glibc
import SystemPackage

/// A process of this program that goes on when its caller, and the caller's terminal, are gone.
///
/// The caller starts it, hears what it reports once it is ready, goes on with its own work, and
/// lets go of it then. The new process learns from its standard input when that is, also when the
/// caller is killed before.
public final class DetachedProgram: Sendable {
    private let lifeline: OwnedDescriptor
    private let voice: Pipe

    /// Starts the program of this process anew, in a session of its own and in the namespaces of
    /// the calling thread.
    ///
    /// - Parameter arguments: the words of its command line behind its name.
    public init(arguments: [String]) throws(KernelError) {
        do {
            let input = try PipeEnds()
            defer { try? input.reader.close() }
            lifeline = OwnedDescriptor(adopting: input.writer)
            var voice = try Pipe()
            var program = Program(OwnProgram.path, arguments)
            program.streams = [input.reader, Program.nothing, Program.nothing, voice.writer]
            program.isDetached = true
            _ = try program.start()
            voice.closeWriter()
            self.voice = voice
        } catch {
            throw KernelError(starting: "a process of linkcond", error)
        }
    }

    /// What it reports; empty if it ends before, and nil if it takes longer than `limit`.
    public func hear(within limit: Duration) -> String? {
        let (text, isComplete) = voice.read(upTo: nil, within: limit)
        return isComplete ? text : nil
    }

    /// Tells it that the caller has done its work. To be killed tells it as well, unless a process
    /// that the caller made holds its descriptors open. Not to be called by a thread that is not to
    /// get `SIGPIPE`.
    ///
    /// - Returns: whether it is still there.
    @discardableResult
    public func release() -> Bool {
        (try? lifeline.raw.writeAll([0])) != nil
    }
}

extension DetachedProgram {
    /// The fourth of its streams.
    private static let reportNumber: Int32 = 3

    /// In the new process: reports to the caller, once.
    public static func report(_ text: String) {
        let report = FileDescriptor(rawValue: reportNumber)
        _ = try? report.writeAll(text.utf8)
        try? report.close()
    }

    /// In the new process, where a copy of it will report: leaves that to the copy.
    public static func leaveReport() {
        try? FileDescriptor(rawValue: reportNumber).close()
    }

    /// In the new process: has programs that it starts not inherit its report.
    public static func keepReportFromChildren() {
        _ = fcntl(reportNumber, F_SETFD, FD_CLOEXEC)
    }

    /// In the new process: waits until the caller lets go of it or has ended.
    ///
    /// - Returns: whether the caller has done its work; false if it ended before.
    public static func waitForRelease() -> Bool {
        var byte: [UInt8] = [0]
        let count = try? FileDescriptor.standardInput.readSome(into: &byte)
        if let nothing = try? FileDescriptor.open(FilePath("/dev/null"), .readOnly) {
            _ = dup2(nothing.rawValue, 0)
            try? nothing.close()
        }
        return count == 1
    }
}
