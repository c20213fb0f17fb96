import FoundationEssentials
import LinuxKernel

/// Records changes before they are made.
///
/// The marks in the kernel contain the same, unless somebody deletes our ifbs; then the journal
/// still knows which interfaces have our filters, and who created clsact.
struct Journal {
    /// One conditioned interface.
    struct Entry: Codable, Hashable {
        var interface: String
        var index: Int32
        var madeClsact: Bool
        /// The conditions on the interface, by name.
        var conditions: [String: Conditions]?
    }

    /// Properties of conditions that the kernel may not report.
    struct Conditions: Codable, Hashable {
        /// The slot of their filters.
        var slot: Int
        /// Their traffic, which may be too long for the marks.
        var selection: String
    }

    private let directory: StateDirectory
    private let namespace: String

    /// The journal of the calling thread's network namespace.
    init(_ directory: StateDirectory) throws(KernelError) {
        self.directory = directory
        namespace = "\(Self.directoryName)/\(try NetworkNamespace.currentInode())"
    }

    /// The directory of all journals.
    static let directoryName = "journal"

    private func name(_ index: Int32) -> String { "\(namespace)/\(index).json" }

    /// Writes an entry, replacing an older one of the interface.
    func record(_ entry: Entry) throws(KernelError) {
        guard let data = try? JSONEncoder().encode(entry) else {
            preconditionFailure("an entry is made of text and numbers")
        }
        try directory.write(name(entry.index), Array(data))
    }

    /// The entry of an interface.
    func entry(_ index: Int32) -> Entry? {
        directory.read(name(index)).flatMap {
            try? JSONDecoder().decode(Entry.self, from: Data($0))
        }
    }

    /// All entries of the namespace.
    func entries() -> [Entry] {
        directory.names(in: namespace).compactMap { file in
            file.hasSuffix(".json") ? Int32(file.dropLast(5)).flatMap(entry) : nil
        }
    }

    /// Deletes the conditions of a name, and the entry with the last of them.
    func erase(_ name: String, of index: Int32) {
        guard var entry = entry(index) else { return }
        entry.conditions?[name] = nil
        guard entry.conditions?.isEmpty == false else { return erase(index) }
        try? record(entry)
    }

    /// Deletes the entry of an interface.
    func erase(_ index: Int32) {
        directory.remove(name(index))
        if directory.names(in: namespace).isEmpty { directory.remove(namespace) }
    }
}
