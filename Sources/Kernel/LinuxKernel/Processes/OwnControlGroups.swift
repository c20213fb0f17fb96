/// The control groups that limit this process: those it is in, and those around them.
struct OwnControlGroups {
    /// The directories of version 2, which has all controllers.
    let unified: [String]
    /// The directories of version 1 by controller.
    private let legacy: [Substring: [String]]

    /// Those of this process; nil where nobody tells.
    static var current: OwnControlGroups? {
        guard let groups = try? SmallFile.read("/proc/self/cgroup") else { return nil }
        return OwnControlGroups(groups, unified: ControlGroupTree.host)
    }

    /// Reads the text of a `/proc/self/cgroup`.
    ///
    /// - Parameter tree: the tree of version 2.
    init(_ text: String, unified tree: ControlGroupTree?) {
        var unified: [String] = []
        var legacy: [Substring: [String]] = [:]
        for line in text.split(separator: "\n") {
            // Number, controllers and path: cgroups(7).
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let groups = Self.ancestors(of: fields[2])
            if fields[1].isEmpty {
                unified += tree.map { groups.map($0.directory) } ?? []
            } else {
                let directories = groups.map { "\(ControlGroupTree.root)/\(fields[1])/\($0)" }
                for name in fields[1].split(separator: ",") {
                    legacy[name, default: []] += directories
                }
            }
        }
        self.unified = unified
        self.legacy = legacy
    }

    /// The directories of a controller of version 1, such as `cpu`.
    func legacy(_ controller: Substring) -> [String] { legacy[controller] ?? [] }

    /// The paths of a group and of those around it, without a slash in front. In a container the outer
    /// ones are often not there, and the outermost is its own.
    private static func ancestors(of path: some StringProtocol) -> [String] {
        let names = path.split(separator: "/")
        return (0...names.count).map { names.prefix($0).joined(separator: "/") }
    }
}
