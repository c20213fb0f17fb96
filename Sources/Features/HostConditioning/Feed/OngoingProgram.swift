import LinkModel
import LinuxKernel
import Sandbox

/// A `linkcond run`, `matrix`, `bisect`, `proxy` or `play` that is going on or has ended, of a user
/// whose processes this one may look at.
struct OngoingProgram: Encodable, Equatable {
    let pid: Int32
    let verb: String
    let command: String
    /// The processes whose links can be watched: that of a run, and those of the runs of others.
    var links: [Int32] = []
    /// The page of its report, which is there at the end at the latest; nil if it writes none.
    @OrNull var report: String?
    /// Whether it has ended.
    var isOver = false

    private static let verbs = ["run", "matrix", "bisect", "proxy", "play", "verify"]

    /// All of them, without the processes that they have started themselves.
    static func all() -> [OngoingProgram] {
        let processes = SmallFile.names(in: "/proc").compactMap { Int32($0) }.compactMap(Found.init)
        let pids = Set(processes.filter { $0.program != nil }.map(\.pid))
        return processes.compactMap { process in
            guard var program = process.program, process.parent.map(pids.contains) != true else {
                return nil
            }
            let runs =
                program.verb == "run"
                ? [program.pid] : processes.filter { $0.parent == program.pid }.map(\.pid)
            program.links = runs.filter { RunService.processInside(runOf: $0) != nil }.sorted()
            return program
        }.sorted { $0.pid < $1.pid }
    }

    /// A process of linkcond.
    private struct Found {
        let pid: Int32
        let parent: Int32?
        /// What it is for the user; nil for what others have started under another verb, as a proxy
        /// its links.
        let program: OngoingProgram?

        init?(_ pid: Int32) {
            guard (try? SmallFile.read("/proc/\(pid)/comm")) == "linkcond\n",
                let line = try? SmallFile.read("/proc/\(pid)/cmdline")
            else { return nil }
            self.pid = pid
            parent = RunningProcess(number: pid).parent?.number
            program = OngoingProgram(pid: pid, commandLine: line)
        }
    }

    /// Reads the words of a process, with a zero byte behind each; nil if it is none of these verbs.
    init?(pid: Int32, commandLine: String) {
        let words = commandLine.split(separator: "\0", omittingEmptySubsequences: false)
            .map(String.init).dropLast()
        guard words.count > 1, let verb = words.dropFirst().first, Self.verbs.contains(verb) else {
            return nil
        }
        report = Self.report(of: Array(words.dropFirst()), in: "/proc/\(pid)/cwd")
        self.pid = pid
        self.verb = verb
        command = ShellWord.line(["linkcond"] + words.dropFirst())
    }

    /// The page that a command writes, by its words; nil if none.
    private static func report(of words: [String], in directory: String) -> String? {
        func value(_ option: String) -> String? {
            // What follows is for the command inside.
            let own = words.prefix { $0 != "--" }
            if let index = own.firstIndex(of: option) { return own.dropFirst(index + 1).first }
            return own.first { $0.hasPrefix("\(option)=") }
                .map { String($0.dropFirst(option.count + 1)) }
        }
        let page =
            value("--report").map { "\($0)/report.html" } ?? value("--timeline") ?? value("--html")
        guard let page, page.hasSuffix(".html") else { return nil }
        guard !page.hasPrefix("/") else { return page }
        return SmallFile.target(ofLink: directory).map { "\($0)/\(page)" }
    }
}
