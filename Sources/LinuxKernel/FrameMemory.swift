import Glibc
import SystemPackage

/// A region of memory for the bytes of frames, of which only what was written to exists.
///
/// Places in it are named by their distance from its beginning.
@safe
public struct FrameMemory: ~Copyable {
    @usableFromInline let base: UnsafeMutableRawPointer
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
        unsafe base = region
        self.count = count
    }

    deinit { unsafe munmap(base, count) }

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

    /// Gives all memory back to the system; every byte is zero afterwards.
    public mutating func discard() {
        unsafe madvise(base, count, MADV_DONTNEED)
    }

    @inlinable
    func pointer(to range: Range<Int>) -> UnsafeMutableBufferPointer<UInt8> {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= count, "frames lie in their memory")
        return unsafe UnsafeMutableBufferPointer(
            start: (base + range.lowerBound).assumingMemoryBound(to: UInt8.self),
            count: range.count)
    }
}
