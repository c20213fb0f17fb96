import LinuxKernel

/// A process listed in `/proc`.
struct ListedProcess: Hashable {
    /// Its PID.
    let id: Int32
    /// Whether it is a zombie.
    let hasEnded: Bool
    /// The PID of its parent; 0 for a parent outside the PID namespace.
    let parent: Int32
    /// Its session ID; 0 for a session from outside the PID namespace.
    let session: Int32

    /// Parses the file `stat` of a process.
    init?(stat text: String) {
        // The name, in parentheses, can contain any characters, even parentheses.
        guard let opening = text.firstIndex(of: "("), let closing = text.lastIndex(of: ")"),
            let id = Int32(text[..<opening].prefix { $0 != " " })
        else { return nil }
        let fields = text[text.index(after: closing)...].split(separator: " ")
        guard fields.count > 3, let parent = Int32(fields[1]), let session = Int32(fields[3])
        else { return nil }
        self.id = id
        self.parent = parent
        self.session = session
        hasEnded = ["Z", "X"].contains(fields[0])
    }

    /// All processes of the PID namespace of `/proc`.
    static func all() -> [ListedProcess] {
        let names = SmallFile.names(in: "/proc")
        return names.filter { Int32($0) != nil }.compactMap { name in
            HostNames.text(of: "/proc/\(name)/stat").flatMap { ListedProcess(stat: $0) }
        }
    }

    /// The network namespace of a process, as named by the kernel; nil if it is not visible, for
    /// example because the process is ending.
    static func network(of process: Int32) -> String? { network("\(process)/ns/net") }

    /// The network namespace that a link in `/proc` leads to.
    static func network(_ link: String) -> String? {
        SmallFile.target(ofLink: "/proc/\(link)")
    }
}
