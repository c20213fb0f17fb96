import LinuxKernel
import SystemPackage

/// The TCP connection over which both ends agree: lines, and bytes whose number a line says.
final class ControlChannel {
    /// Why nothing more comes.
    enum Failure: Error {
        /// The other end closed it.
        case ended
        /// It does not know the connection, or has ended without reading everything.
        case reset
        /// Nothing came in time.
        case silent
        /// The line is longer than it may be.
        case tooLong
        case broken(Errno)

        fileprivate init(_ errno: Errno) {
            switch errno {
            case .connectionReset: self = .reset
            case .brokenPipe: self = .ended
            default: self = .broken(errno)
            }
        }
    }

    /// The longest that either end waits for the other.
    static let longestSilence = Duration.seconds(120)

    private let stream: StreamSocket
    private var buffer: [UInt8] = []
    private var chunk = [UInt8](repeating: 0, count: 65_536)

    var descriptor: FileDescriptor { stream.descriptor }

    init(_ stream: consuming StreamSocket) {
        self.stream = stream
        // The link may lose many packets in a row.
        self.stream.repeatSoon(patience: Self.longestSilence)
    }

    /// Finds out by itself, from now on, when the other end does not know the connection any more, or is
    /// not there.
    func watchPeer(every interval: Duration, patience: Duration) {
        stream.watchPeer(every: interval, patience: patience)
    }

    /// The address of this end.
    func own() throws(Failure) -> Endpoint {
        do {
            return try stream.own()
        } catch {
            throw Failure(error)
        }
    }

    /// The sizes of segments; nil if the kernel does not tell them.
    var segmentSizes: SegmentSizes? { try? stream.segmentSizes() }

    /// The packet by which the other end opened the connection, once; empty if nobody kept it.
    func takeOpening() -> [UInt8] { stream.takeOpening() }

    /// The next line without its end.
    func line(limit: Int, until deadline: Duration) throws(Failure) -> String {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                guard end <= limit else { throw .tooLong }
                var line = buffer[..<end]
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                let text = String(decoding: line, as: UTF8.self)
                buffer.removeFirst(end + 1)
                return text
            }
            guard buffer.count <= limit else { throw .tooLong }
            try readMore(until: deadline)
        }
    }

    /// What came so far of a line that is not finished.
    var beginning: String { String(decoding: buffer.prefix(100), as: UTF8.self) }

    /// The next `count` bytes.
    func bytes(_ count: Int, until deadline: Duration) throws(Failure) -> [UInt8] {
        while buffer.count < count { try readMore(until: deadline) }
        let bytes = Array(buffer.prefix(count))
        buffer.removeFirst(count)
        return bytes
    }

    private func readMore(until deadline: Duration) throws(Failure) {
        while true {
            guard Readiness.wait(for: [stream.descriptor], until: deadline) else { throw .silent }
            let count: Int
            do {
                count = try stream.receive(into: &chunk, limit: chunk.count)
            } catch .wouldBlock, .interrupted {
                continue
            } catch {
                throw Failure(error)
            }
            guard count > 0 else { throw .ended }
            buffer.append(contentsOf: chunk.prefix(count))
            return
        }
    }

    /// Sends a line and the bytes behind it.
    func send(_ line: String, _ more: [UInt8] = [], until deadline: Duration) throws(Failure) {
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")] + more
        var sent = 0
        while sent < bytes.count {
            do {
                sent += try stream.send(bytes, sent..<bytes.count)
            } catch .wouldBlock, .interrupted {
                let left = deadline - KernelClock.monotonic
                guard left > .zero, Readiness.isWritable(stream.descriptor, within: left) else {
                    throw .silent
                }
            } catch {
                throw Failure(error)
            }
        }
    }

    /// Whether the other end has said something, or is gone.
    var hasNews: Bool {
        !buffer.isEmpty || Readiness.wait(for: [stream.descriptor], until: .zero)
    }
}
