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
        /// All that it wrote to both outputs.
        public let text: String
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
    /// - Parameters:
    ///   - input: what it reads from standard input, at most 64 KiB.
    ///   - identity: another user, who gets none of the caller's privileges.
    ///   - variables: in addition to those of this process.
    public static func run(
        _ path: String, _ arguments: [String], input: String,
        patience: Duration = .seconds(60), as identity: Program.Identity? = nil,
        variables: [String: String] = [:]
    ) throws(KernelError) -> Result {
        let deadline = ContinuousClock.now + patience
        do {
            let inputs = try PipeEnds()
            defer { try? inputs.reader.close() }
            var outputs = try Pipe()
            do {
                // A pipe holds this much: nobody has to read yet.
                defer { try? inputs.writer.close() }
                _ = try inputs.writer.writeAll(input.utf8)
            }
            var program = Program(path, arguments)
            program.streams = [inputs.reader, outputs.writer, outputs.writer]
            // Ctrl-C ends it only with this process, which may block the signal.
            program.leadsGroup = true
            program.diesWithParent = true
            (program.identity, program.variables) = (identity, variables)
            let process =
                identity == nil
                ? try Privilege.lending { try program.start() } : try program.start()
            outputs.closeWriter()
            let text = outputs.read(upTo: nil, within: deadline - .now).text
            let words = oneLine(text)
            let hasEnded = hasEnded(process, by: deadline)
            if !hasEnded { Process.signal(SIGKILL, to: process) }
            guard let code = Process.wait(for: process)?.shellCode else {
                throw Errno.noChildProcess
            }
            let silence = "it did not end within \(patience.components.seconds) s and was killed"
            let muteness = code == 0 ? "" : "it ended with \(code) and said nothing"
            return Result(
                exitCode: code, message: !hasEnded ? silence : words.isEmpty ? muteness : words,
                text: text)
        } catch {
            throw KernelError(starting: path, error)
        }
    }

    /// Whether a child ends in time. Where the kernel has no descriptors of processes (before Linux
    /// 5.3) it is waited for however long it takes.
    private static func hasEnded(
        _ process: Int32, by deadline: ContinuousClock.Instant
    ) -> Bool {
        guard let descriptor = try? ProcessDescriptor(process) else { return true }
        let left = max(.zero, deadline - .now)
        return !Readiness.wait(for: [descriptor.descriptor], timeout: left).isEmpty
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).prefix(3).joined(separator: "; ")
    }
}
