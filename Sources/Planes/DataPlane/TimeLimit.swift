/// When conditions end by themselves.
///
/// A process of linkcond's own, the watcher, sees to that: it outlives the one that applied them,
/// waits, and clears what carries its name. The limit stands in the marks of the conditions, so
/// that whoever replaces or clears them meanwhile takes them from the watcher.
public struct TimeLimit: Sendable, Hashable, Codable {
    /// The moment, in seconds since 1970, if one was given.
    public var until: Int64?
    /// The process with which they end, if one was given.
    public var process: Int32?
    /// The name of the watcher, which no other has.
    public var watcher: String

    /// Makes a limit for a watcher with a name of its own.
    public init(until: Int64?, process: Int32?) {
        self.init(
            until: until, process: process,
            watcher: String(UInt64.random(in: .min ... .max), radix: 36))
    }

    /// Makes the limit that a watcher of this name keeps.
    public init(until: Int64?, process: Int32?, watcher: String) {
        self.until = until
        self.process = process
        self.watcher = watcher
    }

    /// The words of a mark.
    public var words: [String] {
        [until.map { "until=\($0)" }, process.map { "exit=\($0)" }, "watch=\(watcher)"]
            .compactMap { $0 }
    }

    /// Reads the words of a mark; nil if they name no watcher.
    public init?(words: [String: String]) {
        guard let watcher = words["watch"], Self.isName(watcher) else { return nil }
        self.init(
            until: words["until"].flatMap { Int64($0) },
            process: words["exit"].flatMap { Int32($0) }, watcher: watcher)
    }

    /// A mark may have been written by anybody; the name becomes one of a file.
    public static func isName(_ text: String) -> Bool {
        (1...13).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            }
    }
}
