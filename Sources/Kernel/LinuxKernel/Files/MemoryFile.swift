import CLinux
public import SystemPackage

/// Files in memory only. Equivalent to `memfd_create(2)`.
public enum MemoryFile {
    /// A file with this text, positioned at its start for the program that reads it.
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

    /// The text of such a file from another process, without moving its read position. Throws
    /// `Errno.fileTooLarge` for more than `limit` bytes, and for a descriptor that is no file.
    public static func text(of file: FileDescriptor, limit: Int) throws(KernelError) -> String {
        do {
            // A descriptor without a length, such as a pipe, could block.
            let length = Int(try file.seek(offset: 0, from: .end))
            guard length <= limit else { throw Errno.fileTooLarge }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(length)
            var buffer = [UInt8](repeating: 0, count: 256 * 1024)
            while bytes.count < length {
                let count = try unsafe buffer.withUnsafeMutableBytes {
                    try unsafe file.read(fromAbsoluteOffset: Int64(bytes.count), into: $0)
                }
                guard count > 0 else { break }
                bytes += buffer.prefix(count)
            }
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            throw KernelError(
                .read, subject: "a file in memory", errno: error as? Errno ?? .ioError)
        }
    }
}
