public import SystemPackage

extension FileDescriptor {
    /// Reads to the end, or until more than `limit` bytes were read.
    ///
    /// A result longer than `limit` means that there was too much. The total is unknown, since a
    /// pipe may have no end.
    public func readAll(limit: Int) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            while bytes.count <= limit {
                // Most files are short: zeros would first have to be written to all the memory.
                let chunk = try unsafe [UInt8](
                    unsafeUninitializedCapacity: min(limit + 1, 64 * 1024)
                ) { buffer, count in
                    count = try unsafe read(into: UnsafeMutableRawBufferPointer(buffer))
                }
                guard !chunk.isEmpty else { break }
                bytes += chunk
            }
        } catch {
            throw error as? Errno ?? .ioError
        }
        return bytes
    }

    /// Reads `count` bytes of a file from `offset`, fewer only at its end.
    public func read(count: Int, at offset: Int) throws(Errno) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        do {
            while done < count {
                let more = try unsafe bytes.withUnsafeMutableBytes { buffer in
                    try unsafe read(
                        fromAbsoluteOffset: Int64(offset + done),
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
                }
                guard more > 0 else { break }
                done += more
            }
        } catch {
            throw error as? Errno ?? .ioError
        }
        return Array(bytes.prefix(done))
    }

    /// Reads what is available into `buffer` and returns the number of bytes; 0 at the end.
    public func readSome(into buffer: inout [UInt8]) throws(Errno) -> Int {
        do {
            return try unsafe buffer.withUnsafeMutableBytes { try unsafe read(into: $0) }
        } catch {
            throw error as? Errno ?? .ioError
        }
    }
}

extension FileDescriptor {
    /// Writes a part of `bytes` and returns how many were taken.
    public func writeSome(_ bytes: [UInt8]) throws(Errno) -> Int {
        do {
            return try unsafe bytes.withUnsafeBytes { try unsafe write($0) }
        } catch {
            throw error as? Errno ?? .ioError
        }
    }
}
