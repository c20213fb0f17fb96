import FoundationEssentials

/// The beginning and the end of a cell's log, as much as a report shows.
struct LogExcerpt: Sendable, Hashable {
    /// The first bytes of the file; all of them if there is no end.
    var beginning: [UInt8]
    /// The last bytes of the file, if it is longer.
    var end: [UInt8] = []
    /// How many bytes of the file are between them.
    var omittedBytes: UInt64 = 0

    /// Takes a log as it is.
    init(_ bytes: [UInt8]) {
        beginning = bytes
    }

    /// Reads a file, of which `limit` bytes are kept at most; nil if it cannot be read.
    ///
    /// More is kept of the end, where it says why a command failed. Bytes are cut where a line ends.
    init?(path: String, limit: Int) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(Array(data), limit: limit)
    }

    /// Keeps `limit` bytes at most.
    init(_ bytes: [UInt8], limit: Int) {
        guard bytes.count > limit else {
            self.beginning = bytes
            return
        }
        let newline = UInt8(ascii: "\n")
        var beginning = bytes.prefix(limit / 4)
        if let last = beginning.lastIndex(of: newline) { beginning = bytes[...last] }
        var end = bytes.suffix(limit - limit / 4)
        if let first = end.firstIndex(of: newline), first + 1 < bytes.endIndex {
            end = bytes[(first + 1)...]
        }
        self.beginning = Array(beginning)
        self.end = Array(end)
        omittedBytes = UInt64(bytes.count - beginning.count - end.count)
    }

    /// The last lines without colours, for places with little room.
    func lastLines(_ count: Int) -> String {
        let plain = TerminalText(end.isEmpty ? beginning : end).plain
        var lines = plain.split(separator: "\n", omittingEmptySubsequences: false)
        while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
        return lines.suffix(count).joined(separator: "\n")
    }

    /// All of it without colours; a line says where something is left out.
    var plain: String {
        let first = TerminalText(beginning).plain
        guard omittedBytes > 0 else { return first }
        return first + "\n[\(omittedBytes) bytes are left out here]\n" + TerminalText(end).plain
    }
}
