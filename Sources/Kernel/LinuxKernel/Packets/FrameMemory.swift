import Glibc
public import SystemPackage

/// A region of memory for the bytes of frames, of which only what was written to exists.
///
/// SandboxNamespaces in it are named by their distance from its beginning.
@safe
public struct FrameMemory: ~Copyable, Sendable {
    // The address and no pointer: whoever has the memory is its only owner, on any thread.
    @usableFromInline let address: UInt
    /// The size of the region in bytes.
    public let count: Int

    /// Reserves a region of `count` bytes of zeros, a promise that costs nothing yet.
    public init(reserving count: Int) throws(KernelError) {
        let region = unsafe mmap(
            nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let region = unsafe region, unsafe region != MAP_FAILED else {
            throw KernelError(
                .create, subject: "memory for packets", errno: Errno(rawValue: errno))
        }
        address = UInt(bitPattern: region)
        self.count = count
    }

    deinit { unsafe munmap(UnsafeMutableRawPointer(bitPattern: address), count) }

    /// Calls `body` with the bytes in `range`.
    @inlinable
    public func withBytes<Result: ~Copyable>(
        in range: Range<Int>, _ body: (Span<UInt8>) -> Result
    ) -> Result {
        let bytes = unsafe UnsafeBufferPointer(pointer(to: range))
        return unsafe body(bytes.span)
    }

    /// Calls `body` with the bytes in `range` for it to change.
    ///
    /// While it runs nothing else may use these bytes.
    @inlinable
    public mutating func withMutableBytes<Result: ~Copyable>(
        in range: Range<Int>, _ body: (inout MutableSpan<UInt8>) -> Result
    ) -> Result {
        var span = unsafe pointer(to: range).mutableSpan
        return body(&span)
    }

    /// Copies bytes to the place `target`; the two may overlap.
    @inlinable
    public mutating func copy(_ source: Range<Int>, to target: Int) {
        let source = unsafe pointer(to: source)
        let target = unsafe pointer(to: target..<target + source.count)
        guard let from = source.baseAddress, let to = target.baseAddress else {
            return
        }
        unsafe UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: source.count)
    }

    /// Copies bytes from elsewhere to the place `target`.
    @inlinable
    public mutating func copy(_ source: Span<UInt8>, to target: Int) {
        let target = unsafe pointer(to: target..<target + source.count)
        unsafe source.withUnsafeBytes { source in
            guard let from = source.baseAddress, let to = target.baseAddress else { return }
            unsafe UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: source.count)
        }
    }

    /// Writes the bytes in `range` to a file.
    public func write(_ range: Range<Int>, to file: FileDescriptor) throws(Errno) {
        let bytes = unsafe UnsafeRawBufferPointer(pointer(to: range))
        do {
            _ = try unsafe file.writeAll(bytes)
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// Gives all memory back to the system; every byte is zero afterwards.
    public mutating func discard() {
        unsafe madvise(UnsafeMutableRawPointer(bitPattern: address), count, MADV_DONTNEED)
    }

    @inlinable
    func pointer(to range: Range<Int>) -> UnsafeMutableBufferPointer<UInt8> {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= count, "frames lie in their memory")
        return unsafe UnsafeMutableBufferPointer(
            start: UnsafeMutablePointer(bitPattern: address + UInt(range.lowerBound)),
            count: range.count)
    }
}
