import Glibc
public import SystemPackage

/// A memory region for the bytes of frames. Physical memory is used only for pages that were
/// written.
///
/// Positions in it are offsets from its start.
@safe
public struct FrameMemory: ~Copyable, Sendable {
    // An address instead of a pointer, so that the region can move between threads with its only
    // owner.
    @usableFromInline let address: UInt
    /// The size of the region in bytes.
    public let count: Int

    /// Reserves a zeroed region of `count` bytes, which takes no physical memory yet.
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

    /// Calls `body` with the bytes in `range`, which it may change.
    ///
    /// Nothing else may use these bytes meanwhile.
    @inlinable
    public mutating func withMutableBytes<Result: ~Copyable>(
        in range: Range<Int>, _ body: (inout MutableSpan<UInt8>) -> Result
    ) -> Result {
        var span = unsafe pointer(to: range).mutableSpan
        return body(&span)
    }

    /// Copies bytes to the offset `target`; the two ranges may overlap.
    @inlinable
    public mutating func copy(_ source: Range<Int>, to target: Int) {
        let source = unsafe pointer(to: source)
        let target = unsafe pointer(to: target..<target + source.count)
        guard let from = source.baseAddress, let to = target.baseAddress else {
            return
        }
        unsafe UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: source.count)
    }

    /// Copies bytes from elsewhere to the offset `target`.
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

    /// Returns all memory to the system; every byte is zero afterwards.
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

extension Span<UInt8> {
    /// Whether all bytes are zeros; as fast in a debug build.
    public var isZero: Bool {
        guard !isEmpty else { return true }
        // A zero, and behind it bytes that are each like the one before.
        return unsafe withUnsafeBytes { bytes in
            guard let first = bytes.baseAddress else { return true }
            return unsafe bytes[0] == 0 && memcmp(first, first + 1, bytes.count - 1) == 0
        }
    }
}
