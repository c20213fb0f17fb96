import Glibc
import SystemPackage

/// Supplies the body of a request, again from any place if the connection was lost.
final class BodySource {
    private enum Content {
        case bytes([UInt8])
        case file(FileDescriptor)
    }

    private let content: Content
    /// The size in bytes.
    let size: Int64
    private var offset: Int64 = 0

    /// Opens the body; nil if there is none.
    init?(_ body: ExchangeRequest.Body) throws(ExchangeFailure) {
        switch body {
        case .none:
            return nil
        case .bytes(let bytes):
            (content, size) = (.bytes(bytes), Int64(bytes.count))
        case .file(let path):
            do {
                let file = try FileDescriptor.open(
                    FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
                let status = try file.stat()
                guard status.type == .regular else {
                    try file.close()
                    throw Errno.invalidArgument
                }
                (content, size) = (.file(file), status.size)
            } catch {
                throw ExchangeFailure(.unreadableBody, "cannot read \(path): \(error)")
            }
        }
    }

    deinit {
        if case .file(let file) = content { try? file.close() }
    }

    /// Copies the next bytes into `buffer`; returns how many, or nil if the body has become shorter
    /// or cannot be read.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let wanted = min(Int64(buffer.count), size - offset)
        guard wanted > 0 else { return 0 }
        let count: Int
        switch content {
        case .bytes(let bytes):
            count = Int(wanted)
            unsafe buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + count])
        case .file(let file):
            count = unsafe pread(
                file.rawValue, buffer.baseAddress, Int(wanted), off_t(offset))
        }
        guard count > 0 else { return nil }
        offset += Int64(count)
        return count
    }

    /// Goes on from another place; false if it is outside.
    func seek(to place: Int64) -> Bool {
        guard (0...size).contains(place) else { return false }
        offset = place
        return true
    }
}
