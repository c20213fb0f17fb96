/// How much processor time the control groups of this process leave it.
///
/// Whoever has used up the share of a period, a tenth of a second by default, stands still until
/// the next.
public enum ProcessorQuota {
    /// In processors, such as 0.5; nil without a limit, or where nobody tells.
    public static var current: Double? {
        guard let groups = try? SmallFile.read("/proc/self/cgroup") else { return nil }
        return least(groups: groups, unified: ControlGroupTree.host) { try? SmallFile.read($0) }
    }

    /// How many processors a process that may run on `count` of them can keep busy.
    public static func usable(of count: Int, quota: Double? = current) -> Int {
        quota.map { min(count, Int(max(1, min($0, Double(count)).rounded(.up)))) } ?? count
    }

    /// The least of all groups that a process is in.
    ///
    /// - Parameters:
    ///   - groups: the text of `/proc/self/cgroup`.
    ///   - unified: the tree of version 2.
    ///   - read: reads a file; nil if it is not there.
    static func least(
        groups: String, unified: ControlGroupTree?, read: (String) -> String?
    ) -> Double? {
        var quotas: [Double] = []
        for line in groups.split(separator: "\n") {
            // Number, controllers and path: cgroups(7).
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            for group in ancestors(of: fields[2]) {
                if fields[1].isEmpty, let directory = unified?.directory(of: group) {
                    quotas += quota(read(directory + "/cpu.max")).map { [$0] } ?? []
                } else if fields[1].split(separator: ",").contains("cpu") {
                    let directory = "\(ControlGroupTree.root)/\(fields[1])/\(group)"
                    let files = ["quota", "period"].compactMap {
                        read("\(directory)/cpu.cfs_\($0)_us")
                    }
                    quotas += quota(files.joined(separator: " ")).map { [$0] } ?? []
                }
            }
        }
        return quotas.min()
    }

    /// The paths of a group and of those around it, without a slash in front. In a container the outer
    /// ones are often not there, and the outermost is its own.
    private static func ancestors(of path: some StringProtocol) -> [String] {
        let names = path.split(separator: "/")
        return (0...names.count).map { names.prefix($0).joined(separator: "/") }
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
