import CLinux
import Glibc
public import SystemPackage

/// A pipe, by which a program that this process starts says something.
public struct Pipe: ~Copyable, Sendable {
    private let source: OwnedDescriptor
    /// The bytes that wait in a pipe at most, unless it was told otherwise (pipe(7)).
    private static let capacity = 1 << 16

    /// The end that is read.
    public var reader: FileDescriptor { source.raw }
    /// The end that is written; nil once it was closed.
    public private(set) var writer: FileDescriptor?

    /// Makes one.
    public init() throws(KernelError) {
        let ends = try PipeEnds()
        source = OwnedDescriptor(adopting: ends.reader)
        writer = ends.writer
    }

    deinit {
        try? writer?.close()
    }

    /// Closes the end that is written, so that the reader sees the end when others have closed it.
    public mutating func closeWriter() {
        try? writer?.close()
        writer = nil
    }

    /// Reads until `terminator` or the end, or until `patience` has passed.
    ///
    /// - Returns: what was read without the terminator, and whether it or the end was reached.
    public borrowing func read(
        upTo terminator: Character?, within patience: Duration
    ) -> (text: String, isComplete: Bool) {
        let deadline = ContinuousClock.now + patience
        let last = terminator?.asciiValue
        var bytes: [UInt8] = []
        let most = last == nil ? 4096 : 1
        while let part = Readiness.read(from: reader, atMost: most, until: deadline) {
            guard !part.isEmpty, part.first != last else {
                return (String(decoding: bytes, as: UTF8.self), true)
            }
            bytes += part
            // What came in time is read though the reader is late; a program that never stops
            // writing is not.
            guard bytes.count < Self.capacity || .now < deadline else { break }
        }
        return (String(decoding: bytes, as: UTF8.self), false)
    }
}
