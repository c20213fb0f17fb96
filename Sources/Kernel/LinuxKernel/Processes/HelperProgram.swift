import Glibc
import SystemPackage

/// Programs of the system that linkcond uses.
public enum HelperProgram {
    /// How a program ended.
    public struct Result: Sendable, Hashable {
        /// The exit code, or 128 and the signal's number.
        public let exitCode: Int32
        /// What it wrote to both outputs, in one line.
        public let message: String
    }

    /// Administration tools live where an ordinary user's PATH does not look.
    private static let moreDirectories = ["/usr/local/sbin", "/usr/sbin", "/sbin"]

    /// Where `name` is installed; nil if it is not.
    public static func path(of name: String) -> String? {
        let directories =
            unsafe getenv("PATH").map { unsafe String(cString: $0) }?
            .split(separator: ":").map(String.init) ?? ["/usr/bin", "/bin"]
        return (directories + moreDirectories).lazy.map { "\($0)/\(name)" }
            .first { unsafe access($0, X_OK) == 0 }
    }

    /// Runs a program in the namespaces of the calling thread and waits until it ends; kills it if
    /// it takes longer than `patience`.
    ///
    /// - Parameter input: what it reads from standard input, at most 64 KiB.
    public static func run(
        _ path: String, _ arguments: [String], input: String,
        patience: Duration = .seconds(60)
    ) throws(KernelError) -> Result {
        let deadline = ContinuousClock.now + patience
        do {
            let inputs = try PipeEnds()
            defer { try? inputs.reader.close() }
            let outputs = try PipeEnds()
            defer { try? outputs.reader.close() }
            let process: pid_t
            do {
                // A pipe holds this much: nobody has to read yet.
                defer {
                    try? inputs.writer.close()
                    try? outputs.writer.close()
                }
                _ = try inputs.writer.writeAll(input.utf8)
                process = try Privilege.lending {
                    try start(path, arguments, input: inputs.reader, output: outputs.writer)
                }
            }
            let output = readAll(outputs.reader, until: deadline)
            let hasEnded = hasEnded(process, by: deadline)
            if !hasEnded { Process.signal(SIGKILL, to: process) }
            let code = try wait(for: process)
            let silence = "it did not end within \(patience.components.seconds) s and was killed"
            let muteness = code == 0 ? "" : "it ended with \(code) and said nothing"
            let words = oneLine(output)
            return Result(
                exitCode: code, message: !hasEnded ? silence : words.isEmpty ? muteness : words)
        } catch {
            throw KernelError(
                .create, subject: path,
                errno: (error as? KernelError)?.errno ?? error as? Errno ?? .ioError)
        }
    }

    private static func start(
        _ path: String, _ arguments: [String], input: FileDescriptor, output: FileDescriptor
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input.rawValue, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.rawValue, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.rawValue, 2)
        var process = pid_t()
        let status = unsafe withWords([path] + arguments) { words in
            unsafe posix_spawn(&process, path, &actions, nil, words, environ)
        }
        guard status == 0 else { throw Errno(rawValue: status) }
        return process
    }

    /// Calls `body` with the words as C has them.
    static func withWords<Value>(
        _ words: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) throws -> Value
    ) rethrows -> Value {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return try unsafe body(pointers)
    }

    private static func readAll(
        _ descriptor: FileDescriptor, until deadline: ContinuousClock.Instant
    ) -> [UInt8] {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !Readiness.wait(for: [descriptor], timeout: max(.zero, deadline - .now)).isEmpty,
            let count = try? descriptor.readSome(into: &buffer), count > 0
        {
            output += buffer.prefix(count)
        }
        return output
    }

    /// Whether a child ends in time. Where the kernel has no descriptors of processes (before Linux
    /// 5.3) it is waited for however long it takes.
    private static func hasEnded(
        _ process: pid_t, by deadline: ContinuousClock.Instant
    ) -> Bool {
        guard let descriptor = try? ProcessDescriptor(process) else { return true }
        let left = max(.zero, deadline - .now)
        return !Readiness.wait(for: [descriptor.descriptor], timeout: left).isEmpty
    }

    private static func wait(for process: pid_t) throws -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
        return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + status & 0x7f
    }

    private static func oneLine(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
            .split(whereSeparator: \.isNewline).prefix(3).joined(separator: "; ")
    }
}
