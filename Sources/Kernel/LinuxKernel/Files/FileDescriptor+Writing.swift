public import SystemPackage

extension FileDescriptor {
    /// Writes all of a text.
    ///
    /// As `writeAll(_:)`, but that has the Swift runtime search all protocol conformances of the
    /// program, which takes 0.1 ms of each process that writes.
    public func write(wholeOf text: String) throws(Errno) {
        var text = text
        do {
            try text.withUTF8 { bytes in
                var done = 0
                while done < bytes.count {
                    done += try unsafe write(
                        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[done...]))
                }
            }
        } catch {
            throw error as? Errno ?? .ioError
        }
    }
}
