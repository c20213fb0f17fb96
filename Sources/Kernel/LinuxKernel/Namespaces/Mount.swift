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

    /// Mounts a proc file system at `/proc` for the caller's PID namespace.
    public static func processes() throws(KernelError) {
        try mount("proc", "/proc", "proc", UInt(MS_NOSUID | MS_NODEV | MS_NOEXEC))
    }

    /// Replaces existing files by files with these texts.
    ///
    /// The file system that holds the texts is unmounted as soon as they are in place.
    public static func replaceFiles(_ texts: [String: String]) throws(KernelError) {
        guard !texts.isEmpty else { return }
        // Any directory can be the mount point while the file system has a name.
        let directory = "/proc"
        try mount("tmpfs", directory, "tmpfs", UInt(MS_NOSUID | MS_NODEV | MS_NOEXEC))
        defer { _ = unsafe lc_detach_mount(directory) }
        for (index, (path, text)) in texts.sorted(by: { $0.key < $1.key }).enumerated() {
            let source = "\(directory)/\(index)"
            do {
                let file = try FileDescriptor.open(
                    FilePath(source), .writeOnly, options: [.create, .closeOnExec],
                    permissions: [.ownerReadWrite, .groupRead, .otherRead])
                try file.closeAfter { _ = try file.writeAll(text.utf8) }
            } catch {
                throw KernelError(.write, subject: path, errno: error as? Errno ?? .ioError)
            }
            try mount(source, path, nil, UInt(MS_BIND))
        }
    }

    private static func mount(
        _ source: String?, _ target: String, _ type: String?, _ flags: UInt
    ) throws(KernelError) {
        try checked(unsafe lc_mount(source, target, type, flags, nil), .mount, target)
    }
}
