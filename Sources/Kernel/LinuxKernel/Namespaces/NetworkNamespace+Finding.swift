import Glibc
public import SystemPackage

extension NetworkNamespace {
    /// Opens the namespace at `path`, such as `/proc/PID/ns/net`.
    ///
    /// It lives while the descriptor is open.
    public static func open(_ path: String) throws(KernelError) -> FileDescriptor {
        do {
            // Nonblocking, since the file may be a pipe.
            return try FileDescriptor.open(
                FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
        } catch {
            throw KernelError(.open, subject: path, errno: error as? Errno ?? .ioError)
        }
    }

    /// The inode of the namespace at `path`; nil if there is none, or the caller may not read it.
    public static func inode(at path: String) -> UInt64? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// Opens the namespace with this inode; nil if no process uses it any more.
    ///
    /// Searches all processes and all mounts (such as those of `ip netns add` and Docker). A
    /// namespace that only an open descriptor keeps alive is not found.
    public static func open(inode: UInt64) throws(KernelError) -> FileDescriptor? {
        while let path = path(ofInode: inode) {
            let namespace: FileDescriptor
            do {
                namespace = try open(path)
            } catch  where [.noSuchFileOrDirectory, .noSuchProcess].contains(error.errno) {
                // The process that the search found has ended since; others may be there.
                continue
            }
            // Or it has gone into another namespace.
            if self.inode(at: "/proc/self/fd/\(namespace.rawValue)") == inode { return namespace }
            try? namespace.close()
        }
        return nil
    }

    /// Whether a process or a mount uses the namespace with this inode.
    static func isUsed(inode: UInt64) -> Bool { path(ofInode: inode) != nil }

    private static func path(ofInode inode: UInt64) -> String? {
        let named = mountPoints(in: mountTable).filter { $0.inode == inode }.map(\.path)
        return (named + processPaths()).first { self.inode(at: $0) == inode }
    }

    /// The inodes of all namespaces that such a search finds.
    public static func allInodes() -> Set<UInt64> {
        Set((mountPoints(in: mountTable).map(\.path) + processPaths()).compactMap(inode(at:)))
    }

    private static var mountTable: String {
        (try? SmallFile.read("/proc/self/mountinfo", limit: 1 << 22)) ?? ""
    }

    private static func processPaths() -> [String] { processes().map { "/proc/\($0)/ns/net" } }

    /// The mount points of network namespaces in `mounts`, the text of a mountinfo file.
    static func mountPoints(in mounts: String) -> [(inode: UInt64, path: String)] {
        mounts.split(separator: "\n").compactMap { line in
            // ID, parent, device, root, mount point: proc_pid_mountinfo(5).
            let fields = line.split(separator: " ", maxSplits: 5)
            guard fields.count == 6, fields[3].hasPrefix("net:["), fields[3].hasSuffix("]"),
                let inode = UInt64(fields[3].dropFirst(5).dropLast())
            else { return nil }
            return (inode, String(fields[4]))
        }
    }

    /// The IDs of all processes that are visible to the caller.
    public static func processes() -> [Int32] {
        SmallFile.names(in: "/proc").compactMap { Int32($0) }
    }
}
