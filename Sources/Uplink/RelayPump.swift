import LinuxKernel
import SystemPackage

extension StreamRelay {
    /// One end of a relayed connection.
    final class Side {
        let socket: StreamSocket
        var token: UInt64 = 0
        /// Whether a read or write may succeed, as far as is known.
        var isReadable = false
        var isWritable = false

        init(_ socket: consuming StreamSocket) {
            self.socket = socket
        }
    }

    /// One direction of a relayed connection.
    struct Pump {
        /// What came of an attempt to move data.
        enum Progress {
            /// Nothing to do until one of the sides gets ready.
            case waiting
            /// There may be more, but it is the turn of others.
            case unfinished
            /// The stream has ended, and the other side was told.
            case finished
            /// A side failed.
            case failed
        }

        /// What was read and not taken; at most one read.
        private var pending: [UInt8] = []
        private var sent = 0
        private var hasEnded = false
        private(set) var hasFinished = false

        /// How many reads one direction gets before it is the turn of others.
        private static let turn = 8

        /// Whether nothing waits that was read.
        var isEmpty: Bool { pending.isEmpty }

        /// Moves data as long as both sides let it.
        mutating func run(from source: Side, to sink: Side, _ buffer: inout [UInt8]) -> Progress {
            guard !hasFinished else { return .finished }
            do {
                for _ in 0..<Self.turn {
                    guard sink.isWritable else { return .waiting }
                    if !pending.isEmpty {
                        sent += try sink.socket.send(pending, sent..<pending.count)
                        guard sent == pending.count else { continue }
                        (pending, sent) = ([], 0)
                    }
                    if hasEnded {
                        sink.socket.finishSending()
                        hasFinished = true
                        return .finished
                    }
                    guard source.isReadable else { return .waiting }
                    try read(from: source, to: sink, &buffer)
                }
                return .unfinished
            } catch {
                if error == .wouldBlock {
                    sink.isWritable = false
                    return .waiting
                }
                return .failed
            }
        }

        private mutating func read(
            from source: Side, to sink: Side, _ buffer: inout [UInt8]
        ) throws(Errno) {
            let count: Int
            do {
                count = try source.socket.receive(into: &buffer)
            } catch {
                guard error == .wouldBlock else { throw error }
                source.isReadable = false
                return
            }
            guard count > 0 else {
                hasEnded = true
                return
            }
            var taken = 0
            do {
                taken = try sink.socket.send(buffer, 0..<count)
            } catch {
                guard error == .wouldBlock else { throw error }
                sink.isWritable = false
            }
            if taken < count { pending = Array(buffer[taken..<count]) }
        }
    }
}
