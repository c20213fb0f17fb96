/// The tree of control groups of version 2, where it is mounted below `/sys/fs/cgroup`.
///
/// Some hosts have it beside the trees of version 1, at `/sys/fs/cgroup/unified`.
public struct ControlGroupTree: Sendable, Hashable {
    /// The directory that has all trees. nft looks for groups below it.
    public static let root = "/sys/fs/cgroup"

    /// The mount point, relative to `root`; empty if it is `root` itself.
    public let place: String

    /// The tree of this host; nil without one.
    public static var host: ControlGroupTree? {
        ControlGroupTree(
            mounts: (try? SmallFile.read("/proc/self/mountinfo", limit: 1 << 22)) ?? "")
    }

    /// Finds it in the text of a mountinfo file.
    init?(mounts: String) {
        let places = mounts.split(separator: "\n").compactMap { line -> String? in
            // ID, parent, device, root, mount point, options - type: proc_pid_mountinfo(5).
            let fields = line.split(separator: " ")
            guard let dash = fields.firstIndex(of: "-"), dash > 4, dash + 1 < fields.endIndex,
                fields[dash + 1] == "cgroup2"
            else { return nil }
            return String(fields[4])
        }
        let found = places.first { $0 == Self.root || $0.hasPrefix(Self.root + "/") }
        guard let found else { return nil }
        place = String(found.dropFirst(Self.root.count + 1))
    }

    /// The path of a group, relative to `root`.
    public func path(of group: String) -> String { place.isEmpty ? group : "\(place)/\(group)" }

    /// The number by which the kernel knows the group at a path of the tree; nil if it is not there.
    public func number(of group: String) -> UInt64? {
        guard let status = FileStatus(ofFileAt: "\(Self.root)/\(path(of: group))"),
            status.isDirectory
        else { return nil }
        return status.inode
    }
}
