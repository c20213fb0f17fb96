/// How much processor time the control groups of this process leave it.
///
/// Whoever has used up the share of a period, a tenth of a second by default, stands still until
/// the next.
public enum ProcessorQuota {
    /// In processors, such as 0.5; nil without a limit, or where nobody tells.
    public static var current: Double? {
        OwnControlGroups.current.flatMap { least(in: $0) { try? SmallFile.read($0) } }
    }

    /// How many processors a process that may run on `count` of them can keep busy.
    public static func usable(of count: Int, quota: Double? = current) -> Int {
        quota.map { min(count, Int(max(1, min($0, Double(count)).rounded(.up)))) } ?? count
    }

    /// The least of all groups.
    ///
    /// - Parameter read: reads a file; nil if it is not there.
    static func least(in groups: OwnControlGroups, read: (String) -> String?) -> Double? {
        let texts =
            groups.unified.map { read($0 + "/cpu.max") }
            + groups.legacy("cpu").map { directory in
                let files = ["quota", "period"].compactMap {
                    read("\(directory)/cpu.cfs_\($0)_us")
                }
                return files.joined(separator: " ")
            }
        return texts.compactMap(quota).min()
    }

    /// Reads a quota and a period in microseconds, such as `50000 100000`; nil for `max` and `-1`.
    private static func quota(_ text: String?) -> Double? {
        let words = (text ?? "").split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let quota = Double(words[0]), let period = Double(words[1]),
            quota > 0, period > 0
        else { return nil }
        return quota / period
    }
}
