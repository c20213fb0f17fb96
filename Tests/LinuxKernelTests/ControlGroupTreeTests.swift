import LinkTesting
import Testing

@testable import LinuxKernel

@Suite("Tree of control groups", .tags(.unit))
struct ControlGroupTreeTests {
    private func line(_ place: String, _ type: String) -> String {
        "35 24 0:30 / \(place) rw,nosuid shared:9 - \(type) cgroup rw\n"
    }

    @Test("It is where cgroup2 is mounted, alone or beside version 1")
    func places() {
        let alone = ControlGroupTree(
            mounts: line("/", "ext4") + line("/sys/fs/cgroup", "cgroup2"))
        #expect(alone?.directory(of: "a/b") == "/sys/fs/cgroup/a/b")
        let beside = ControlGroupTree(
            mounts: line("/sys/fs/cgroup/cpu", "cgroup")
                + line("/sys/fs/cgroup/unified", "cgroup2"))
        #expect(beside?.directory(of: "a/b") == "/sys/fs/cgroup/unified/a/b")
    }

    @Test("Without one below /sys/fs/cgroup there is none")
    func absence() {
        for mounts in [
            "", "x", "1 2 3 - cgroup2", line("/sys/fs/cgroup/cpu", "cgroup"),
            line("/mnt", "cgroup2"), line("/sys/fs/cgroups", "cgroup2"),
        ] {
            #expect(ControlGroupTree(mounts: mounts) == nil, "\(mounts)")
        }
    }

    @Test("A group that is not there is none")
    func absentGroup() throws {
        let tree = try #require(ControlGroupTree(mounts: line("/sys/fs/cgroup", "cgroup2")))
        #expect(tree.group("no/such/group") == nil)
    }
}
