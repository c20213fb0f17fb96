import Glibc

/// A process, as `/proc` shows it.
public struct RunningProcess: Sendable, Hashable {
    /// The number of the process.
    public let number: Int32

    /// All processes that the caller can see.
    public static var all: [RunningProcess] {
        NetworkNamespace.processes().map(RunningProcess.init(number:))
    }

    /// The calling process.
    public static var current: RunningProcess { RunningProcess(number: getpid()) }

    /// The process with this number, which need not exist.
    public init(number: Int32) {
        self.number = number
    }

    /// The longest name that the kernel keeps for a thread, in bytes.
    public static let longestThreadName = 15

    /// Whether one of its names is `name`: that of its first thread, as `ps -e` shows it, that of
    /// its executable file, and that under which it was started.
    public func isCalled(_ name: String) -> Bool {
        threadName == String(decoding: name.utf8.prefix(Self.longestThreadName), as: UTF8.self)
            || executableName == name || callName == name
    }

    /// The name of its first thread, which the kernel shortens.
    public var threadName: String? {
        guard let text = try? SmallFile.read("/proc/\(number)/comm") else { return nil }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    /// The name of the file that it executes; nil for threads of the kernel.
    public var executableName: String? {
        guard let path = SmallFile.target(ofLink: "/proc/\(number)/exe") else { return nil }
        let deleted = " (deleted)"
        return Self.lastPart(path.hasSuffix(deleted) ? path.dropLast(deleted.count) : path[...])
    }

    /// The process that started it, or took it over; nil for one that has ended, or whose parent is
    /// in another PID namespace.
    public var parent: RunningProcess? {
        (try? SmallFile.read("/proc/\(number)/stat")).flatMap(Self.parent(inStat:))
    }

    /// The parent in a file `stat`, whose second field may contain blanks and parentheses.
    static func parent(inStat text: String) -> RunningProcess? {
        guard let end = text.utf8.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = text.utf8[end...].split(separator: UInt8(ascii: " "), maxSplits: 3)
        guard fields.count > 2, let number = Int32(Substring(fields[2])), number > 0 else {
            return nil
        }
        return RunningProcess(number: number)
    }

    /// The value of a variable in the environment with which its program was started; nil if it has
    /// none, or the caller may not know.
    public func variable(_ name: String) -> String? {
        let beginning = "\(name)="
        let text = try? SmallFile.read("/proc/\(number)/environ", limit: 16 << 20)
        return text?.utf8.split(separator: 0).first { $0.starts(with: beginning.utf8) }
            .map { String(Substring($0.dropFirst(beginning.utf8.count))) }
    }

    /// The last part of its first argument.
    private var callName: String? {
        guard let text = try? SmallFile.read("/proc/\(number)/cmdline", limit: 4096),
            let first = text.split(separator: "\0", maxSplits: 1).first
        else { return nil }
        return Self.lastPart(first)
    }

    private static func lastPart(_ path: Substring) -> String? {
        path.split(separator: "/").last.map(String.init)
    }

    /// The sockets that it has open, by the numbers of their descriptors; of each the number by
    /// which the kernel knows it.
    var sockets: [Int32: UInt64] {
        let directory = "/proc/\(number)/fd"
        var found: [Int32: UInt64] = [:]
        for descriptor in SmallFile.names(in: directory).compactMap({ Int32($0) }) {
            guard let target = SmallFile.target(ofLink: "\(directory)/\(descriptor)"),
                target.hasPrefix("socket:["), let inode = UInt64(target.dropFirst(8).dropLast())
            else { continue }
            found[descriptor] = inode
        }
        return found
    }
}
