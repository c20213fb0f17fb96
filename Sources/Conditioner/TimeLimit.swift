import FoundationEssentials
import LinuxKernel

/// When conditions end by themselves.
///
/// A process of linkcond's own, the watcher, sees to that: it outlives the one that applied them,
/// waits, and clears what carries its name. The limit stands in the marks of the conditions, so
/// that whoever replaces or clears them meanwhile takes them from the watcher.
public struct TimeLimit: Sendable, Hashable {
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
    var words: [String] {
        [until.map { "until=\($0)" }, process.map { "exit=\($0)" }, "watch=\(watcher)"]
            .compactMap { $0 }
    }

    /// Reads the words of a mark; nil if they name no watcher.
    init?(words: [String: String]) {
        guard let watcher = words["watch"], Self.isName(watcher) else { return nil }
        self.init(
            until: words["until"].flatMap { Int64($0) },
            process: words["exit"].flatMap { Int32($0) }, watcher: watcher)
    }

    /// A mark may have been written by anybody; the name becomes one of a file.
    static func isName(_ text: String) -> Bool {
        (1...13).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            }
    }
}

/// The files on which watchers hold locks: so it is known whether they live.
enum WatcherFile {
    /// Whether a watcher lives.
    enum Life: Hashable {
        case alive(process: Int32)
        case gone
        /// There is no file: it was started where other files are seen, such as in a container.
        case unknown
    }

    static let directoryName = "watchers"

    /// The file's name in a state directory.
    static func name(of watcher: String) -> String { "\(directoryName)/\(watcher)" }

    /// By such a file `status` and `override show` know that a watcher was killed, in whatever
    /// namespace what it was to end still stands. So it is kept for an hour, in seconds.
    private static let keepingTime: Int64 = 3600

    /// Removes the files of watchers that were killed. Not for a watcher: its own looks like one.
    static func removeAbandoned(in directory: StateDirectory) {
        let limit = Int64(Date().timeIntervalSince1970) - keepingTime
        for watcher in directory.names(in: directoryName) {
            let name = name(of: watcher)
            guard let time = directory.modificationTime(of: name), time < limit else { continue }
            do {
                guard try FileLock.owner(at: directory.path(of: name)) == nil else { continue }
                directory.remove(name)
            } catch {
                // It has ended meanwhile, or cannot be asked.
            }
        }
    }

    /// Whether the watcher lives, as far as the files at hand tell.
    static func life(of watcher: String, _ environment: [String: String]) -> Life {
        for directory in StateDirectory.existing(environment: environment) {
            let path = directory.path(of: name(of: watcher))
            do {
                guard let owner = try FileLock.owner(at: path) else { return .gone }
                return .alive(process: owner)
            } catch {
                continue
            }
        }
        return .unknown
    }

    /// Ends watchers that have nothing left to end.
    static func dismiss(_ watchers: Set<String>, in directory: StateDirectory) {
        for watcher in watchers {
            let path = directory.path(of: name(of: watcher))
            // One of a process namespace that is not seen from here has no number.
            if let owner = try? FileLock.owner(at: path), owner > 1 {
                Process.terminate(owner)
            }
            directory.remove(name(of: watcher))
        }
    }
}
