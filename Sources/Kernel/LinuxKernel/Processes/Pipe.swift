import CLinux
import Glibc
public import SystemPackage

/// A pipe, by which a program that this process starts says something.
public struct Pipe: ~Copyable, Sendable {
    private let source: OwnedDescriptor

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
        var byte: [UInt8] = [0]
        while !Readiness.wait(for: [reader], timeout: max(.zero, deadline - .now)).isEmpty {
            let count =
                unsafe (try? byte.withUnsafeMutableBytes { try unsafe reader.read(into: $0) }) ?? 0
            guard count == 1, byte[0] != last else {
                return (String(decoding: bytes, as: UTF8.self), true)
            }
            bytes += byte
        }
        return (String(decoding: bytes, as: UTF8.self), false)
    }
}
