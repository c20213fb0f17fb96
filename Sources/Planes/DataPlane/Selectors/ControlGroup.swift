import LinuxKernel

/// A control group of version 2, which has the processes of a service, a container or a session.
public struct ControlGroup: Sendable, Hashable, CustomStringConvertible {
    /// Its path in the tree, without a slash at either end.
    public let path: String

    private static let longestPath = 512

    /// Parses the value of `option`: a path in the tree as in `/proc/PID/cgroup`, or that of the
    /// directory below `/sys/fs/cgroup`. The group need not exist.
    public init(_ text: String, option: String) throws(SelectorError) {
        var components = text.split(separator: "/").map(String.init)
        if text.hasPrefix(ControlGroupTree.root + "/") {
            components.removeFirst(3)
            if components.first == ControlGroupTree.host?.place { components.removeFirst() }
        }
        guard !components.isEmpty else {
            throw SelectorError(
                option, text.isEmpty ? "\"\"" : text,
                "is the root of all control groups, which has all programs; name one below, as in "
                    + "/system.slice/nginx.service")
        }
        let isPlain = text.utf8.allSatisfy { byte in
            byte > 0x20 && byte != 0x7f && !"\",;".utf8.contains(byte)
        }
        guard isPlain, text.utf8.count <= Self.longestPath,
            !components.contains(where: { $0 == "." || $0 == ".." })
        else {
            throw SelectorError(
                option, text,
                "is not a path that can be chosen: at most \(Self.longestPath) bytes, without . and "
                    + "..; and without blanks, quotation marks, commas and semicolons")
        }
        path = components.joined(separator: "/")
    }

    /// How deep it is in the tree. Groups below the root have level 1.
    public var level: Int { path.split(separator: "/").count }

    /// Whether one of the two is the other, or below it.
    public func overlaps(_ other: ControlGroup) -> Bool {
        let (shorter, longer) = level <= other.level ? (self, other) : (other, self)
        return longer.path == shorter.path || longer.path.hasPrefix(shorter.path + "/")
    }

    /// Why its programs cannot be chosen now, and what to do; nil if they can.
    public var lack: String? {
        guard let tree = ControlGroupTree.host else {
            return "there are no control groups of version 2 at \(ControlGroupTree.root); ip netns "
                + "exec hides them, and --netns NAME does not"
        }
        guard tree.group(path) == nil else { return nil }
        return "there is no such control group; systemd-cgls lists them, and /proc/PID/cgroup has "
            + "that of a process"
    }

    /// The path, as `/proc/PID/cgroup` has it.
    public var description: String { "/" + path }
}
