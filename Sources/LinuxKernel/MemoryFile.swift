import CLinux
public import SystemPackage

/// Files that are on no disk. Equivalent to `memfd_create(2)`.
public enum MemoryFile {
    /// A file with this text, for a program that reads it from its start.
    public static func open(_ text: String) throws(KernelError) -> FileDescriptor {
        let status = unsafe lc_memory_file("linkcond")
        guard status >= 0 else {
            throw KernelError(.create, subject: "a file in memory", errno: Errno(rawValue: -status))
        }
        let file = FileDescriptor(rawValue: status)
        do {
            _ = try file.writeAll(toAbsoluteOffset: 0, text.utf8)
            return file
        } catch {
            try? file.close()
            throw KernelError(
                .write, subject: "a file in memory", errno: error as? Errno ?? .ioError)
        }
    }
}
