import Foundation
import LinkTesting
import Testing

/// A control group in which processes get no more than so much.
struct LimitedGroup {
    /// What there is little of.
    enum Limit {
        case memory(bytes: Int)
        /// In percent of one processor.
        case processor(percent: Int)
        /// Processes and threads together.
        case processes(Int)
    }

    let directory: String

    /// Runs `body` with a group that is gone afterwards, by the controllers of version 1 or 2.
    static func with<Result>(
        _ limit: Limit, _ body: (LimitedGroup) async throws -> Result
    ) async throws -> Result {
        let place = try limit.place()
        let group = LimitedGroup(directory: place.tree + "/linkcond-test-\(UUID().uuidString)")
        try shell("mkdir \(group.directory)")
        defer {
            // What ends in the background must have left it.
            let attempt = "rmdir \(group.directory) 2>/dev/null && exit; sleep 0.1"
            #expect(throws: Never.self, "the group is still there") {
                try shell("for attempt in $(seq 100); do \(attempt); done; exit 1")
            }
        }
        try shell("echo '\(place.value)' >\(group.directory)/\(place.file)")
        return try await body(group)
    }

    /// The words in front of a command that is to run in the group.
    var words: [String] {
        ["sh", "-c", "echo $$ >\"$0\"/cgroup.procs && exec \"$@\"", directory]
    }
}

extension LimitedGroup.Limit {
    /// Whether this host has groups with such limits, and who tests may make one.
    var isAvailable: Bool { (try? place()) != nil }

    /// A tree of groups, and what to write into which of a group's files.
    fileprivate func place() throws -> (tree: String, file: String, value: String) {
        let (name, old, new) =
            switch self {
            case .memory(let bytes):
                ("memory", ("memory.limit_in_bytes", "\(bytes)"), ("memory.max", "\(bytes)"))
            case .processor(let percent):
                (
                    "cpu", ("cpu.cfs_quota_us", "\(percent * 1000)"),
                    ("cpu.max", "\(percent * 1000) 100000")
                )
            case .processes(let count):
                ("pids", ("pids.max", "\(count)"), ("pids.max", "\(count)"))
            }
        let mounts = try String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)
            .split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        for mount in mounts where mount.count > 3 {
            if mount[2] == "cgroup", mount[3].split(separator: ",").contains(Substring(name)),
                FileManager.default.isWritableFile(atPath: mount[1])
            {
                return (mount[1], old.0, old.1)
            }
            let granted = try? String(
                contentsOfFile: mount[1] + "/cgroup.subtree_control", encoding: .utf8)
            if mount[2] == "cgroup2", FileManager.default.isWritableFile(atPath: mount[1]),
                granted?.split(whereSeparator: \.isWhitespace).contains(Substring(name)) == true
            {
                return (mount[1], new.0, new.1)
            }
        }
        throw TestNetwork.Failure("no control groups limit \(name) here")
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs a test only where control groups can have this limit.
    static func requires(_ limit: LimitedGroup.Limit) -> Self {
        .enabled("control groups cannot have this limit here") { limit.isAvailable }
    }
}
