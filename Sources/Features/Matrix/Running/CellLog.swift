import LinuxKernel
import Recording
import SystemPackage

/// The output of a command, limited to its beginning and end.
struct CellLog {
    /// How much of the beginning, and of the end, is kept.
    static let keptBytes = 512 * 1024
    /// How much of the end is kept to be shown.
    static let shownBytes = 16 * 1024

    private let file: OutputFile?
    private let path: String
    /// Output not written to the file yet: the end, if there is much.
    private var end: [UInt8] = []
    /// The end of all output, to be shown.
    private var last: [UInt8] = []
    private var printed: UInt64 = 0
    private var written: UInt64 = 0
    /// Why the file is incomplete; nil if it is complete.
    private(set) var failure: Errno?

    /// Keeps output in a file; without one, only the end to be shown.
    ///
    /// - Parameter path: The name of the file in reports.
    init(_ file: OutputFile?, path: String) {
        self.file = file
        self.path = path
    }

    /// Takes output.
    mutating func append(_ bytes: ArraySlice<UInt8>) {
        printed += UInt64(bytes.count)
        var rest = bytes
        if file != nil, written < Self.keptBytes, failure == nil {
            let first = rest.prefix(Self.keptBytes - Int(written))
            write(first)
            rest = rest.dropFirst(first.count)
        }
        if file != nil { Self.append(rest, to: &end, limit: Self.keptBytes) }
        Self.append(bytes, to: &last, limit: Self.shownBytes)
    }

    private static func append(
        _ bytes: ArraySlice<UInt8>, to end: inout [UInt8], limit: Int
    ) {
        // A slice, because other sequences are copied byte by byte.
        let kept: ArraySlice<UInt8> = bytes.suffix(limit)
        end += kept
        // Lets twice the limit accumulate, so that each byte is moved only once.
        if end.count > 2 * limit { end.removeFirst(end.count - limit) }
    }

    /// Completes the file and describes it; nil without a file.
    mutating func finish() -> LogFile? {
        end.removeFirst(max(0, end.count - Self.keptBytes))
        guard let file else { return nil }
        let omitted = printed - min(printed, written + UInt64(end.count))
        if failure == nil, omitted > 0 {
            write(Array("\n[linkcond left out \(omitted) bytes here]\n".utf8)[...], isNote: true)
        }
        write(end[...])
        try? file.descriptor.close()
        return LogFile(path: path, printedBytes: printed, omittedBytes: printed - written)
    }

    /// The last lines of output.
    func lastLines(_ count: Int) -> String {
        let text = String(decoding: last, as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .suffix(count + (text.hasSuffix("\n") ? 1 : 0)).joined(separator: "\n")
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>, isNote: Bool = false) {
        guard let file, failure == nil else { return }
        do {
            let count = try file.descriptor.writeAll(bytes)
            if !isNote { written += UInt64(count) }
        } catch {
            failure = error as? Errno ?? .ioError
        }
    }
}
