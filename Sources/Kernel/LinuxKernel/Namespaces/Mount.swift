import CLinux
import Glibc
import SystemPackage

/// Mounts of the calling process's mount namespace.
public enum Mount {
    /// Keeps what is mounted from now on from showing in the namespace that this one was copied
    /// from. Equivalent to `mount --make-rslave /`.
    public static func separate() throws(KernelError) {
        try mount(nil, "/", nil, UInt(MS_REC | MS_SLAVE))
    }

    /// Shows the processes of the caller's process namespace at `/proc`.
    public static func processes() throws(KernelError) {
        try mount("proc", "/proc", "proc", UInt(MS_NOSUID | MS_NODEV | MS_NOEXEC))
    }

    /// Puts files with these texts in the place of files that exist.
    ///
    /// The file system that holds them is out of sight as soon as they stand.
    public static func replaceFiles(_ texts: [String: String]) throws(KernelError) {
        guard !texts.isEmpty else { return }
        // Any directory does for the moment in which the file system has a name.
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
        let status = unsafe lc_mount(source, target, type, flags, nil)
        guard status == 0 else {
            throw KernelError(.mount, subject: target, errno: Errno(rawValue: -status))
        }
    }
}
