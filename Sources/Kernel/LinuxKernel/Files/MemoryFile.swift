import CLinux
public import SystemPackage

/// Files in memory only. Equivalent to `memfd_create(2)`.
public enum MemoryFile {
    /// A file with this text, positioned at its start for the program that reads it.
    public static func open(_ text: String) throws(KernelError) -> FileDescriptor {
        let status = try checked(unsafe lc_memory_file("linkcond"), .create, "a file in memory")
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

    /// The text of such a file from another process, without moving its read position. Throws
    /// `Errno.fileTooLarge` for more than `limit` bytes, and for a descriptor that is no file.
    public static func text(of file: FileDescriptor, limit: Int) throws(KernelError) -> String {
        do {
            // A descriptor without a length, such as a pipe, could block.
            let length = Int(try file.seek(offset: 0, from: .end))
            guard length <= limit else { throw Errno.fileTooLarge }
            return String(decoding: try file.read(count: length, at: 0), as: UTF8.self)
        } catch {
            throw KernelError(
                .read, subject: "a file in memory", errno: error as? Errno ?? .ioError)
        }
    }
}
