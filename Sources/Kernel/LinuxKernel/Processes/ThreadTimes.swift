/// How long a thread has had a processor and how long it has waited for one, as the kernel's
/// scheduler counts.
public struct ThreadTimes: Sendable, Hashable {
    /// The time on a processor.
    public var used: Duration
    /// The time in which it could have run, but other threads had the processors.
    public var waited: Duration

    /// Names both times.
    public init(used: Duration, waited: Duration) {
        self.used = used
        self.waited = waited
    }

    /// Parses the file `schedstat` of a thread: both times in nanoseconds, and a count.
    init?(schedstat text: String) {
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int64($0) }
        guard numbers.count == 3 else { return nil }
        self.init(used: .nanoseconds(numbers[0]), waited: .nanoseconds(numbers[1]))
    }

    /// The times of all threads of `/proc` by their IDs, except those of one process; empty if the
    /// kernel does not count.
    public static func all(exceptOf process: Int32) -> [Int32: ThreadTimes] {
        var times: [Int32: ThreadTimes] = [:]
        for id in NetworkNamespace.processes() where id != process {
            let tasks = "/proc/\(id)/task"
            for thread in SmallFile.names(in: tasks).compactMap({ Int32($0) }) {
                let text = try? SmallFile.read("\(tasks)/\(thread)/schedstat", limit: 128)
                times[thread] = text.flatMap { ThreadTimes(schedstat: $0) }
            }
        }
        return times
    }
}
