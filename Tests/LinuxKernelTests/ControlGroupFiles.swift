@testable import LinuxKernel

/// The files of a host's control groups, with version 2 at the top.
struct ControlGroupFiles {
    static let root = "/sys/fs/cgroup"
    private static let mounts = "30 24 0:26 / \(root) rw shared:4 - cgroup2 cgroup2 rw\n"

    /// The text of each by its path.
    let texts: [String: String]

    /// Has `body` read them for a process whose `/proc/self/cgroup` says `groups`.
    func read<Result>(
        for groups: String, _ body: (OwnControlGroups, (String) -> String?) -> Result
    ) -> Result {
        let tree = ControlGroupTree(mounts: Self.mounts)
        return body(OwnControlGroups(groups, unified: tree)) {
            texts[$0.replacing("//", with: "/")]
        }
    }
}
