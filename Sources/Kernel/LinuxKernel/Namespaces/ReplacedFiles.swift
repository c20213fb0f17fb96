public import SystemPackage

/// Files in whose place the calling process's mount namespace shows others.
///
/// Programs that write a file anew and rename it, such as systemd-resolved and DHCP clients, take such
/// a mount away: when the file below it is removed or replaced, the kernel unmounts what stands on it,
/// in all namespaces (since Linux 3.18). `turn()` mounts it again.
public final class ReplacedFiles {
    /// One of them.
    struct File {
        /// Where it is shown.
        let path: String
        /// What is shown there.
        let shown: FileDescriptor
        /// The path of that in its file system.
        let root: String
    }

    private let files: [File]
    private let mountTable: FileDescriptor
    private let mountChanges: EventQueue
    /// How long to wait until the next attempt, while there is nothing to mount a file on.
    private var pause = shortestPause

    private static let tablePath = "/proc/self/mountinfo"
    private static let shortestPause = Duration.milliseconds(1)
    private static let longestPause = Duration.seconds(1)

    /// Takes charge of files that have been mounted, and of their descriptors.
    init(_ files: [File]) throws {
        self.files = files
        mountTable = try FileDescriptor.open(
            FilePath(Self.tablePath), .readOnly, options: [.closeOnExec])
        mountChanges = try EventQueue()
        // It is always readable, and each change is another edge.
        try mountChanges.watch(mountTable, token: 0, .edge)
    }

    deinit {
        for descriptor in files.map(\.shown) + [mountTable] { try? descriptor.close() }
    }

    /// Readable when mounts have changed, and `turn()` is due.
    public var wakeUp: FileDescriptor { mountChanges.descriptor }

    /// Mounts again what was unmounted; returns when to try again, nil if everything is in place.
    public func turn() -> Duration? {
        let haveMountsChanged = (try? mountChanges.wait(timeout: .zero))?.isEmpty == false
        guard haveMountsChanged || pause > Self.shortestPause else { return nil }
        let missing = unmounted.filter { (try? Mount.show($0.shown, at: $0.path)) == nil }
        pause = missing.isEmpty ? Self.shortestPause : min(pause * 2, Self.longestPause)
        return missing.isEmpty ? nil : pause
    }

    private var unmounted: [File] {
        let hidden = files.filter { file in
            FileStatus(of: file.shown)?.isSameFile(as: FileStatus(behind: file.path)) != true
        }
        guard let status = hidden.first.flatMap({ FileStatus(of: $0.shown) }),
            let table = try? SmallFile.read(Self.tablePath, limit: 1 << 24)
        else { return [] }
        // What the command itself has mounted there may cover the others.
        let covered = Self.roots(onDeviceOf: status, in: table)
        return hidden.filter { !covered.contains($0.root) }
    }

    /// Which files of the same file system are mounted, by the text of a mountinfo file.
    static func roots(onDeviceOf file: FileStatus, in table: String) -> Set<String> {
        let device = "\(file.majorDevice):\(file.minorDevice)"
        return Set(
            table.split(separator: "\n").compactMap { line in
                // ID, parent, device, root: proc_pid_mountinfo(5).
                let fields = line.split(separator: " ", maxSplits: 4)
                return fields.count == 5 && fields[2] == device ? String(fields[3]) : nil
            })
    }
}
