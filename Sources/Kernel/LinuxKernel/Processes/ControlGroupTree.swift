import SystemPackage

/// The tree of control groups of version 2, where it is mounted below `/sys/fs/cgroup`.
///
/// Some hosts have it beside the trees of version 1, at `/sys/fs/cgroup/unified`.
public struct ControlGroupTree: Sendable, Hashable {
    /// The directory that has all trees.
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

    /// The directory of the group with a path in the tree.
    public func directory(of group: String) -> String {
        ([Self.root] + (place.isEmpty ? [group] : [place, group])).joined(separator: "/")
    }

    /// The group with a path in the tree; nil if it is not there.
    public func group(_ path: String) -> PresentGroup? {
        let directory = directory(of: path)
        guard let status = FileStatus(ofFileAt: directory), status.isDirectory else { return nil }
        return PresentGroup(directory: directory, number: status.inode)
    }
}

/// A control group that was there.
public struct PresentGroup: Sendable, Hashable {
    /// Its directory below `/sys/fs/cgroup`.
    public let directory: String
    /// The kernel's number. A group of the same path that is made again has another.
    public let number: UInt64

    /// Describes a group.
    public init(directory: String, number: UInt64) {
        self.directory = directory
        self.number = number
    }

    /// Opens its directory; nil if it is gone.
    func open() throws(KernelError) -> OwnedDescriptor? {
        let file: OwnedDescriptor
        do {
            file = OwnedDescriptor(
                adopting: try FileDescriptor.open(
                    FilePath(directory), .readOnly, options: [.directory, .closeOnExec]))
        } catch {
            let reason = error as? Errno ?? .ioError
            if reason == .noSuchFileOrDirectory { return nil }
            throw KernelError(.open, subject: directory, errno: reason)
        }
        guard FileStatus(of: file.raw)?.inode == number else { return nil }
        return file
    }
}
