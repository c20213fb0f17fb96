import LinuxKernel

/// The beginning and the end of a cell's log, as shown in a report.
struct LogExcerpt: Sendable, Hashable {
    /// The first bytes of the file; all of it if `end` is empty.
    var beginning: [UInt8]
    /// The last bytes of the file, if it is longer.
    var end: [UInt8] = []
    /// The number of bytes between them.
    var omittedBytes: UInt64 = 0

    /// Takes a whole log.
    init(_ bytes: [UInt8]) {
        beginning = bytes
    }

    /// Reads a file of a report and keeps at most `limit` bytes; nil if it cannot be read.
    init?(_ path: String, in directory: ContainedDirectory, limit: Int) {
        guard let file = try? directory.open(path), let size = try? InputFile.size(of: file.raw),
            let beginning = try? file.raw.read(count: size <= limit ? size : limit / 4, at: 0),
            let end = try? file.raw.read(
                count: size <= limit ? 0 : limit - limit / 4, at: size - (limit - limit / 4))
        else { return nil }
        self.init(beginning, end, of: size)
    }

    /// Keeps at most `limit` bytes.
    init(_ bytes: [UInt8], limit: Int) {
        guard bytes.count > limit else {
            self.init(bytes)
            return
        }
        self.init(
            Array(bytes.prefix(limit / 4)), Array(bytes.suffix(limit - limit / 4)),
            of: bytes.count)
    }

    /// Takes the first and the last bytes out of `size`.
    ///
    /// The end gets more space, since it says why a command failed. Cuts are at line ends.
    private init(_ first: [UInt8], _ last: [UInt8], of size: Int) {
        guard first.count < size else {
            beginning = first
            return
        }
        let newline = UInt8(ascii: "\n")
        let cut = first.lastIndex(of: newline).map { $0 + 1 } ?? first.count
        beginning = Array(first.prefix(cut))
        let start = last.firstIndex(of: newline).map { $0 + 1 } ?? 0
        end = Array(last.dropFirst(start < last.count ? start : 0))
        omittedBytes = UInt64(max(0, size - beginning.count - end.count))
    }

    /// The last lines without colours, for places with little space.
    func lastLines(_ count: Int) -> String {
        let plain = TerminalText(end.isEmpty ? beginning : end).plain
        var lines = plain.split(separator: "\n", omittingEmptySubsequences: false)
        while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
        return lines.suffix(count).joined(separator: "\n")
    }

    /// The whole excerpt without colours; a line marks the omission.
    var plain: String {
        let first = TerminalText(beginning).plain
        guard omittedBytes > 0 else { return first }
        return first + "\n[\(omittedBytes) bytes are left out here]\n" + TerminalText(end).plain
    }
}
