import FoundationEssentials

/// A process as `/proc` lists it.
struct ListedProcess: Hashable {
    /// Its number.
    let id: Int32
    /// Whether it has ended, though nobody has taken note of it.
    let hasEnded: Bool
    /// The number of its session; 0 for one that began outside of the process namespace.
    let session: Int32

    /// Reads the file `stat` of a process.
    init?(stat text: String) {
        // The name, in parentheses, can have any characters in it, those too.
        guard let opening = text.firstIndex(of: "("), let closing = text.lastIndex(of: ")"),
            let id = Int32(text[..<opening].prefix { $0 != " " })
        else { return nil }
        let fields = text[text.index(after: closing)...].split(separator: " ")
        guard fields.count > 3, let session = Int32(fields[3]) else { return nil }
        self.id = id
        self.session = session
        hasEnded = ["Z", "X"].contains(fields[0])
    }

    /// All processes of the namespace that `/proc` belongs to.
    static func all() -> [ListedProcess] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.filter { Int32($0) != nil }.compactMap { name in
            HostNames.text(of: "/proc/\(name)/stat").flatMap { ListedProcess(stat: $0) }
        }
    }

    /// The network namespace of a process, as the kernel names it; nil if that cannot be seen, as
    /// of a process that is ending.
    static func network(of process: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/ns/net")
    }
}
