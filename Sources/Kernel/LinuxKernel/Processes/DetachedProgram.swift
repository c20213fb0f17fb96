import CLinux
import Glibc
import SystemPackage

/// A process of this program that goes on when its caller, and the caller's terminal, are gone.
///
/// The caller starts it, hears what it reports once it is ready, goes on with its own work, and
/// lets go of it then. The new process learns from its standard input when that is, also when the
/// caller is killed before.
public final class DetachedProgram: Sendable {
    private let lifeline: OwnedDescriptor
    private let voice: OwnedDescriptor

    /// Starts the program of this process anew, in a session of its own and in the namespaces of
    /// the calling thread.
    ///
    /// - Parameter arguments: the words of its command line behind its name.
    public init(arguments: [String]) throws(KernelError) {
        do {
            let input = try PipeEnds()
            defer { try? input.reader.close() }
            lifeline = OwnedDescriptor(adopting: input.writer)
            let report = try PipeEnds()
            defer { try? report.writer.close() }
            voice = OwnedDescriptor(adopting: report.reader)
            let path = OwnProgram.path
            try checked(
                unsafe HelperProgram.withWords([path] + arguments) { words in
                    unsafe lc_start_detached(
                        path, words, environ, input.reader.rawValue, report.writer.rawValue)
                })
        } catch {
            throw KernelError(
                .create, subject: "a process of linkcond",
                errno: (error as? KernelError)?.errno ?? error as? Errno ?? .ioError)
        }
    }

    /// What it reports; empty if it ends before, and nil if it takes longer than `limit`.
    public func hear(within limit: Duration) -> String? {
        let deadline = ContinuousClock.now + limit
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let left = max(.zero, deadline - .now)
            guard !Readiness.wait(for: [voice.raw], timeout: left).isEmpty else { return nil }
            let count =
                (try? unsafe buffer.withUnsafeMutableBytes { try unsafe voice.raw.read(into: $0) })
                ?? 0
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += buffer.prefix(count)
        }
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
    /// In the new process: reports to the caller, once.
    public static func report(_ text: String) {
        let report = FileDescriptor(rawValue: LC_REPORT_DESCRIPTOR)
        _ = try? report.writeAll(text.utf8)
        try? report.close()
    }

    /// In the new process, where a copy of it will report: leaves that to the copy.
    public static func leaveReport() {
        try? FileDescriptor(rawValue: LC_REPORT_DESCRIPTOR).close()
    }

    /// In the new process: has programs that it starts not inherit its report.
    public static func keepReportFromChildren() {
        _ = fcntl(LC_REPORT_DESCRIPTOR, F_SETFD, FD_CLOEXEC)
    }

    /// In the new process: waits until the caller lets go of it or has ended.
    ///
    /// - Returns: whether the caller has done its work; false if it ended before.
    public static func waitForRelease() -> Bool {
        var byte: [UInt8] = [0]
        let count = unsafe try? byte.withUnsafeMutableBytes {
            try unsafe FileDescriptor.standardInput.read(into: $0)
        }
        if let nothing = try? FileDescriptor.open(FilePath("/dev/null"), .readOnly) {
            _ = dup2(nothing.rawValue, 0)
            try? nothing.close()
        }
        return count == 1
    }
}
