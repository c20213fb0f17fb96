import LinuxKernel
import SystemPackage

extension StreamRelay {
    /// One end of a relayed connection.
    final class Side {
        let socket: StreamSocket
        var token: UInt64 = 0
        /// How many bytes it takes that were never sent yet.
        private var unsentLimit = leastUnsent
        /// How much it is given at once. The kernel takes whole portions of whoever has room left.
        private(set) var portion = leastUnsent / 2

        /// Whether its receive window is kept small until the other side is known to be fast.
        private var isNarrow = false

        /// Enough for what is sent while the relay has not had its turn.
        static let leastUnsent = 16 * 1024
        static let mostUnsent = 256 * 1024

        static let narrowWindow = 10 * 1024
        static let wideWindow = 256 * 1024

        /// What makes a host believe that it is at the link's own beginning.
        ///
        /// Its kernel makes room for a number of segments, of 64 KiB each on the loopback, and so
        /// for megabytes that the link has not seen. Up to this size a segment counts as 2 KiB.
        static let shape = StreamShape(
            unsentLimit: leastUnsent, segmentSize: 1380, receiveBuffer: 32 * 1024)

        init(_ socket: consuming StreamSocket) {
            self.socket = socket
        }

        /// Whether something has come that was not read.
        var isReadable: Bool {
            (try? StreamSocket.readiness(of: socket, and: socket))?.0.isReadable ?? false
        }

        /// The connection is there.
        ///
        /// The kernel lets a receive window grow with what is read in a round trip. Within the
        /// host that is microseconds, in which the beginning of a stream looks like a fast one.
        func hasConnected() {
            guard socket.isWithinHost() else { return }
            isNarrow = (try? socket.fixWindow(at: Self.narrowWindow)) != nil
        }

        /// The other side takes as much as comes.
        func widen() {
            guard isNarrow else { return }
            isNarrow = false
            try? socket.fixWindow(at: Self.wideWindow)
        }

        /// It took a whole portion, and may well take more.
        func hasTakenPortion() {
            portion = min(2 * portion, Self.mostUnsent / 2)
        }

        /// It takes no more, or there is no more for now.
        func startOver() {
            portion = unsentLimit / 2
        }

        /// Lets as much wait in the socket as is on its way from there, as a sender's own kernel
        /// does. Returns whether that is another limit than before.
        func adaptLimit() -> Bool {
            guard let inFlight = try? socket.bytesInFlight() else { return false }
            let limit = min(max(inFlight, Self.leastUnsent), Self.mostUnsent)
            guard abs(limit - unsentLimit) > unsentLimit / 4 else { return false }
            unsentLimit = limit
            // Multipath TCP knows no limit before Linux 6.9.
            return (try? socket.limitUnsent(to: limit)) != nil
        }
    }

    /// One direction of a relayed connection.
    ///
    /// What was read and could not be written is hidden from both ends: the one that sent it
    /// believes that it has arrived. So no more is read than the other side is about to take.
    /// Whatever is beyond waits with its sender, who sees the window close.
    struct Pump {
        /// What came of an attempt to move data.
        enum Progress {
            /// Nothing to do until one of the sides gets ready.
            case waiting
            /// Something was done, and there may be more to do.
            case moved
            /// The stream has ended, and the other side was told.
            case finished
            /// A side failed.
            case failed
        }

        /// What was read and not taken; seldom anything.
        private var pending: [UInt8] = []
        private var isPendingUrgent = false
        private var hasEnded = false
        private(set) var hasFinished = false
        /// How much was moved since the sink took no more.
        private var movedWithoutStall = 0

        /// A link that takes as much at once is a fast one.
        private static let fastLink = 64 * 1024

        /// Whether nothing waits that was read.
        var isEmpty: Bool { pending.isEmpty }

        /// Moves a portion, if both sides let it.
        mutating func step(
            from source: Side, _ sourceReady: StreamReadiness, to sink: Side,
            _ sinkReady: StreamReadiness, _ buffer: inout [UInt8]
        ) -> Progress {
            guard !hasFinished else { return .finished }
            do throws(Errno) {
                if hasEnded, pending.isEmpty {
                    sink.socket.finishSending()
                    hasFinished = true
                    return .finished
                }
                guard sinkReady.isWritable else {
                    let isChanged = sink.adaptLimit()
                    sink.startOver()
                    movedWithoutStall = 0
                    return isChanged ? .moved : .waiting
                }
                guard pending.isEmpty else {
                    try sendPending(to: sink)
                    return .moved
                }
                guard sourceReady.isReadable else {
                    sink.startOver()
                    return .waiting
                }
                try move(from: source, isUrgent: sourceReady.isUrgent, to: sink, &buffer)
                return .moved
            } catch {
                return error == .wouldBlock ? .waiting : .failed
            }
        }

        private mutating func sendPending(to sink: Side) throws(Errno) {
            let count = try sink.socket.send(
                pending, 0..<pending.count, isUrgent: isPendingUrgent)
            pending.removeFirst(count)
        }

        /// Moves what comes before the urgent byte, or that one by itself.
        ///
        /// - Parameter isUrgent: whether there is one.
        private mutating func move(
            from source: Side, isUrgent: Bool, to sink: Side, _ buffer: inout [UInt8]
        ) throws(Errno) {
            let isUrgent = isUrgent && source.socket.isAtUrgentByte()
            let count = try source.socket.receive(
                into: &buffer, limit: isUrgent ? 1 : sink.portion)
            guard count > 0 else {
                hasEnded = true
                return
            }
            var taken = 0
            do {
                taken = try sink.socket.send(buffer, 0..<count, isUrgent: isUrgent)
            } catch {
                guard error == .wouldBlock else { throw error }
            }
            movedWithoutStall += taken
            if movedWithoutStall >= Self.fastLink { source.widen() }
            if taken < count {
                pending = Array(buffer[taken..<count])
                isPendingUrgent = isUrgent
            } else if count == sink.portion {
                sink.hasTakenPortion()
            }
        }
    }
}
