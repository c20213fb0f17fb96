import Glibc

/// The processors on which the calling thread may run, and how much of their time is left.
public struct Processors: Sendable, Hashable {
    private let numbers: Set<Int>

    /// How many there are.
    public var count: Int { numbers.count }

    /// Those of the calling thread; nil where `/proc` does not tell.
    public init?() {
        guard let status = try? SmallFile.read("/proc/thread-self/status"),
            let line = status.split(separator: "\n").first(where: {
                $0.hasPrefix("Cpus_allowed_list:")
            }), let list = line.split(whereSeparator: \.isWhitespace).last
        else { return nil }
        self.init(list: list)
    }

    /// Reads `0-3,8`; nil for anything else.
    init?(list: some StringProtocol) {
        var numbers: Set<Int> = []
        for range in list.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = range.split(separator: "-", omittingEmptySubsequences: false)
            guard (1...2).contains(ends.count), let first = Int(ends[0]),
                let last = Int(ends[ends.count - 1]), first >= 0, first <= last,
                last < Self.mostNumbers
            else { return nil }
            numbers.formUnion(first...last)
        }
        self.numbers = numbers
    }

    private static let mostNumbers = 65_536
    /// Each processor's line has about 80 bytes.
    private static let longestStatus = 1 << 20

    /// How long they have had nothing to do since the machine started, together; nil where `/proc`
    /// does not tell.
    public var idleTime: Duration? {
        guard let text = try? SmallFile.read("/proc/stat", limit: Self.longestStatus) else {
            return nil
        }
        return idleTime(in: text, ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Reads the lines `cpu0 user nice system idle iowait ...` of `/proc/stat`.
    func idleTime(in text: String, ticksPerSecond: Int) -> Duration? {
        guard ticksPerSecond > 0 else { return nil }
        var ticks: UInt64 = 0
        var found = 0
        for line in text.split(separator: "\n") where line.hasPrefix("cpu") {
            let words = line.dropFirst(3).split(separator: " ")
            guard words.count > 5, let number = Int(words[0]), numbers.contains(number),
                let idle = UInt64(words[4]), let waiting = UInt64(words[5])
            else { continue }
            ticks &+= idle &+ waiting
            found += 1
        }
        guard found == numbers.count else { return nil }
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: UInt64(ticksPerSecond))
        return .seconds(Int64(clamping: seconds))
            + .seconds(1) * Int64(rest) / Int64(ticksPerSecond)
    }
}
