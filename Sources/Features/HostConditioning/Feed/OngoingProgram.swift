import LinuxKernel

/// A `linkcond run`, `matrix`, `bisect`, `proxy` or `play` that is going on, of a user whose processes
/// this one may look at.
struct OngoingProgram: Encodable, Equatable {
    let pid: Int32
    let verb: String
    let command: String

    private static let verbs = ["run", "matrix", "bisect", "proxy", "play", "verify"]

    /// All of them, without the processes that they have started themselves.
    static func all() -> [OngoingProgram] {
        let found = SmallFile.names(in: "/proc").compactMap { Int32($0) }
            .compactMap { pid -> (program: OngoingProgram, parent: Int32)? in
                guard (try? SmallFile.read("/proc/\(pid)/comm")) == "linkcond\n",
                    let line = try? SmallFile.read("/proc/\(pid)/cmdline"),
                    let program = OngoingProgram(pid: pid, commandLine: line),
                    let status = try? SmallFile.read("/proc/\(pid)/stat"),
                    let parent = parent(inStat: status)
                else { return nil }
                return (program, parent)
            }
        let pids = Set(found.map(\.program.pid))
        return found.filter { !pids.contains($0.parent) }.map(\.program).sorted { $0.pid < $1.pid }
    }

    /// Reads the words of a process, with a zero byte behind each; nil if it is none of these verbs.
    init?(pid: Int32, commandLine: String) {
        let words = commandLine.split(separator: "\0", omittingEmptySubsequences: false)
            .map(String.init).dropLast()
        guard words.count > 1, let verb = words.dropFirst().first, Self.verbs.contains(verb) else {
            return nil
        }
        self.pid = pid
        self.verb = verb
        command = ShellWord.line(["linkcond"] + words.dropFirst())
    }

    /// The parent in `/proc/PID/stat`, whose second field may contain blanks and parentheses.
    static func parent(inStat text: String) -> Int32? {
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[end...].split(separator: " ")
        return fields.count > 2 ? Int32(fields[2]) : nil
    }
}
