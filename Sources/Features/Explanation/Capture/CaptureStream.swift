import LinuxKernel
package import SystemPackage

/// Bytes of a capture file, read as they are needed, so that a pipe serves as well.
package struct CaptureStream {
    private enum Source {
        case file(FileDescriptor)
        case memory([UInt8], next: Int)
    }

    private static let chunkSize = 1 << 18

    private var source: Source
    private var chunk: [UInt8]
    /// What was read; consumed up to `start`.
    private var bytes: [UInt8] = []
    private var start = 0
    /// How many bytes were consumed.
    private(set) var offset: UInt64 = 0

    package init(_ file: FileDescriptor) {
        source = .file(file)
        chunk = [UInt8](repeating: 0, count: Self.chunkSize)
    }

    package init(_ content: [UInt8]) {
        source = .memory(content, next: 0)
        chunk = []
    }

    /// The bytes that can be used without reading.
    var available: Int { bytes.count - start }

    /// Reads until `count` bytes are available; false if there are not so many.
    mutating func require(_ count: Int) throws(Errno) -> Bool {
        while available < count {
            if start > 0 {
                bytes.removeFirst(start)
                start = 0
            }
            switch source {
            case .file(let file):
                let more = try file.readSome(into: &chunk)
                guard more > 0 else { return false }
                bytes.append(contentsOf: chunk.prefix(more))
            case .memory(let content, let next):
                guard next < content.count else { return false }
                let end = min(content.count, next + Self.chunkSize)
                bytes.append(contentsOf: content[next..<end])
                source = .memory(content, next: end)
            }
        }
        return true
    }

    /// Calls `body` with the next `count` bytes, which are available.
    func withNext<Result>(_ count: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        body(bytes.span.extracting(start..<start + count))
    }

    mutating func consume(_ count: Int) {
        start += count
        offset += UInt64(count)
    }
}
