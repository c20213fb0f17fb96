import LinuxKernel

/// When conditions end automatically.
///
/// A separate linkcond process, the watcher, ends them: it outlives the process that applied them,
/// waits, and clears the conditions that carry its name. The limit is part of the conditions'
/// marks, so that replacing or clearing the conditions also detaches them from the watcher.
public struct TimeLimit: Sendable, Hashable, Codable {
    /// The end time, in seconds of `KernelClock.boot`, if given: the wall clock may be set meanwhile.
    public var ends: Int64?
    /// The process whose end is also theirs, if given.
    public var process: Int32?
    /// The unique name of the watcher.
    public var watcher: String

    /// Makes a limit for a watcher with a new name.
    public init(ends: Int64?, process: Int32?) {
        self.init(
            ends: ends, process: process,
            watcher: String(UInt64.random(in: .min ... .max), radix: 36))
    }

    /// Makes the limit of the watcher with this name.
    public init(ends: Int64?, process: Int32?, watcher: String) {
        self.ends = ends
        self.process = process
        self.watcher = watcher
    }

    /// The end time in seconds since 1970, by the wall clock as it is set now.
    public var until: Int64? { ends.map(KernelClock.date(ofBoot:)) }

    /// The limit as the words of a mark.
    public var words: [String] {
        [ends.map { "ends=\($0)" }, process.map { "exit=\($0)" }, "watch=\(watcher)"]
            .compactMap { $0 }
    }

    /// Reads the words of a mark; nil if they name no watcher.
    public init?(words: [String: String]) {
        guard let watcher = words["watch"], Self.isName(watcher) else { return nil }
        self.init(
            ends: words["ends"].flatMap { Int64($0) },
            process: words["exit"].flatMap { Int32($0) }, watcher: watcher)
    }

    /// Whether a name is valid. A mark is untrusted, and the name becomes a file name.
    public static func isName(_ text: String) -> Bool {
        (1...13).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            }
    }
}
