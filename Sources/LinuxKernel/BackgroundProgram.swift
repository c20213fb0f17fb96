import CLinux
import Glibc
public import SystemPackage

/// A process of this program that goes on when its caller, and the caller's terminal, are gone.
public enum BackgroundProgram {
    /// The descriptor by which the new process reports.
    public static let report = FileDescriptor(rawValue: 3)

    /// Has programs that the new process starts not inherit `report`.
    public static func keepReportFromChildren() {
        _ = fcntl(report.rawValue, F_SETFD, FD_CLOEXEC)
    }

    /// Starts the program of this process anew, with other arguments, in the namespaces of the
    /// calling thread, and waits for its report.
    ///
    /// - Parameters:
    ///   - arguments: the words of its command line, of which the first is its name.
    ///   - limit: how long to wait.
    /// - Returns: what it wrote to `report` until it closed that; nil if it took too long.
    public static func start(
        _ arguments: [String], within limit: Duration
    ) throws(KernelError) -> String? {
        let path = "/proc/self/exe"
        do {
            let (reader, writer) = try HelperProgram.pipe()
            defer { try? reader.close() }
            do {
                defer { try? writer.close() }
                try checked(
                    unsafe HelperProgram.withWords(arguments) { words in
                        unsafe lc_start_detached(path, words, environ, writer.rawValue)
                    })
            }
            return readAll(reader, within: limit)
        } catch {
            throw KernelError(.create, subject: path, errno: error as? Errno ?? .ioError)
        }
    }

    private static func readAll(_ descriptor: FileDescriptor, within limit: Duration) -> String? {
        let deadline = ContinuousClock.now + limit
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let left = max(.zero, deadline - .now)
            guard !Readiness.wait(for: [descriptor], timeout: left).isEmpty else { return nil }
            let count =
                (try? unsafe buffer.withUnsafeMutableBytes { try unsafe descriptor.read(into: $0) })
                ?? 0
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += buffer.prefix(count)
        }
    }
}
