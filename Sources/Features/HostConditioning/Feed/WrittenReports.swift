import FoundationEssentials
import Glibc
public import LinuxKernel

/// The newest pages that programs have written, which the panel lists after the ends of the programs.
///
/// A program notes its page when it has written it, since nobody may watch it then. For each page
/// there is a file with the number of the program's process as its name: the page's path, a zero
/// byte, and the words of the program as in `/proc/PID/cmdline`.
public struct WrittenReports {
    /// How many pages of a user are remembered.
    static let most = 20
    private static let place = "reports"

    private let directory: StateDirectory

    /// The pages noted in a directory for runtime state.
    public init(in directory: StateDirectory) {
        self.directory = directory
    }

    /// Notes the page that this program has written.
    ///
    /// Does nothing for other files than pages, and where there is no directory for runtime state.
    public static func note(_ page: String, environment: [String: String]) {
        guard page.hasSuffix(".html"), let words = try? SmallFile.read("/proc/self/cmdline"),
            let directory = try? StateDirectory(environment: environment)
        else { return }
        let place = page.hasPrefix("/") ? "" : FileManager.default.currentDirectoryPath + "/"
        WrittenReports(in: directory).note(place + page, of: words, by: getpid())
    }

    /// Notes a page, and forgets the oldest.
    func note(_ page: String, of words: String, by process: Int32) {
        // Without it, the panel shows the page only to those who see the program end.
        try? directory.write("\(Self.place)/\(process)", Array("\(page)\0\(words)".utf8))
        for (name, _) in names.dropFirst(Self.most) { directory.remove(name) }
    }

    /// The programs of a user, for root of all users, from the newest; those whose page is gone are left
    /// out.
    static func all(environment: [String: String]) -> [OngoingProgram] {
        let directories = StateDirectory.existing(environment: environment) + StateDirectory.ofUsers
        return directories.map(Self.init(in:)).flatMap(\.programs).sorted { $0.time > $1.time }
            .map(\.program)
    }

    /// With the times since 1970 at which the pages were noted.
    var programs: [(program: OngoingProgram, time: Duration)] {
        names.prefix(Self.most).compactMap { name, time in
            guard let process = Int32(name.drop { $0 != "/" }.dropFirst()),
                let parts = directory.read(name)?
                    .split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false),
                parts.count == 2,
                var program = OngoingProgram(
                    pid: process, commandLine: String(decoding: parts[1], as: UTF8.self))
            else { return nil }
            let page = String(decoding: parts[0], as: UTF8.self)
            guard page.hasSuffix(".html"), FileManager.default.fileExists(atPath: page) else {
                return nil
            }
            program.report = page
            program.isOver = true
            return (program, time)
        }
    }

    /// From the newest.
    private var names: [(name: String, time: Duration)] {
        directory.names(in: Self.place).map { "\(Self.place)/\($0)" }.compactMap { name in
            directory.modificationTime(of: name).map { (name, $0) }
        }.sorted { $0.time > $1.time }
    }
}
