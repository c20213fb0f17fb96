import CLinux
import Glibc
import SystemPackage

/// Mounts of the calling process's mount namespace.
public enum Mount {
    /// Hides later mounts from the namespace that this one was copied from. Equivalent to `mount
    /// --make-rslave /`.
    public static func separate() throws(KernelError) {
        try mount(nil, "/", nil, UInt(MS_REC | MS_SLAVE))
    }

    /// Mounts a proc file system at `/proc` for the caller's PID namespace, and replaces existing
    /// files outside of it by files with these texts.
    ///
    /// The file system that holds the texts stays, hidden by `/proc`: to unmount it would take
    /// milliseconds, since the kernel waits until all processors have seen it (RCU).
    ///
    /// - Returns: What keeps the files there; nil if the system does not tell when mounts change.
    public static func replaceFilesAndProcesses(
        _ texts: [String: String]
    ) throws(KernelError) -> ReplacedFiles? {
        let directory = "/proc"
        let flags = UInt(MS_NOSUID | MS_NODEV | MS_NOEXEC)
        if !texts.isEmpty { try mount("tmpfs", directory, "tmpfs", flags) }
        var files: [ReplacedFiles.File] = []
        for (index, (path, text)) in texts.enumerated() {
            let source = "\(directory)/\(index)"
            do {
                let file = try FileDescriptor.open(
                    FilePath(source), .writeOnly, options: [.create, .closeOnExec],
                    permissions: [.ownerReadWrite, .groupRead, .otherRead])
                files.append(ReplacedFiles.File(path: path, shown: file, root: "/\(index)"))
                try file.write(wholeOf: text)
            } catch {
                throw KernelError(.write, subject: path, errno: error as? Errno ?? .ioError)
            }
            try mount(source, path, nil, UInt(MS_BIND))
        }
        try mount("proc", directory, "proc", flags)
        return try? ReplacedFiles(files)
    }

    /// Shows an open file at the path of another one. Takes `/proc`.
    static func show(_ file: FileDescriptor, at path: String) throws(KernelError) {
        try mount("/proc/self/fd/\(file.rawValue)", path, nil, UInt(MS_BIND))
    }

    private static func mount(
        _ source: String?, _ target: String, _ type: String?, _ flags: UInt
    ) throws(KernelError) {
        try checked(unsafe lc_mount(source, target, type, flags, nil), .mount, target)
    }
}
