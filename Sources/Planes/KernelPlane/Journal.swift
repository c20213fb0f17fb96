import FoundationEssentials
import LinuxKernel

/// What is about to be changed, written before it is.
///
/// The marks in the kernel say the same, as long as nobody takes our ifbs away behind our back;
/// then the journal still knows which interfaces have our filters and whose clsact it was.
struct Journal {
    /// One conditioned interface.
    struct Entry: Codable, Hashable {
        var interface: String
        var index: Int32
        var madeClsact: Bool
        /// What stands on the interface, by its names.
        var conditions: [String: Conditions]?
    }

    /// What the kernel may not tell of conditions.
    struct Conditions: Codable, Hashable {
        /// Where their filters stand.
        var slot: Int
        /// Which traffic they are for; the marks may lack the room.
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

    /// Writes an entry, in place of an older one of the interface.
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

    /// Forgets the conditions of a name, and the interface with the last of them.
    func erase(_ name: String, of index: Int32) {
        guard var entry = entry(index) else { return }
        entry.conditions?[name] = nil
        guard entry.conditions?.isEmpty == false else { return erase(index) }
        try? record(entry)
    }

    /// Forgets an interface.
    func erase(_ index: Int32) {
        directory.remove(name(index))
        if directory.names(in: namespace).isEmpty { directory.remove(namespace) }
    }
}
