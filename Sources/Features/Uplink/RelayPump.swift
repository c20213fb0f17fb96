import LinuxKernel
import SystemPackage

extension StreamRelay {
    /// One end of a relayed connection.
    final class Side {
        let socket: StreamSocket
        var token: UInt64 = 0
        /// How many bytes it takes that were never sent yet.
        private(set) var unsentLimit = leastUnsent
        /// How much it is given at once. The kernel takes whole portions of whoever has room left.
        private(set) var portion = leastUnsent / 2

        /// How many bytes the other end may send ahead of what is read; nil where the kernel knows
        /// best.
        private var window: Int?

        /// Enough for what is sent while the relay has not had its turn.
        static let leastUnsent = 4 * 1024
        private static let mostUnsent = 256 * 1024
        /// Of a larger one the kernel would take more than it has room for.
        static let mostPortion = 32 * 1024

        private static let leastWindow = 4 * 1024
        static let mostWindow = 256 * 1024

        /// What makes a host believe that it is at the link's own beginning.
        ///
        /// Its kernel makes room for a number of segments, of 64 KiB each on the loopback, and so
        /// for megabytes that the link has not seen. Up to this size a segment counts as 2 KiB.
        private static let shape = StreamShape(
            unsentLimit: leastUnsent, segmentSize: 1380, receiveBuffer: 32 * 1024,
            growsWithReading: true)

        /// The same for a socket of this host.
        ///
        /// A kernel lets the window grow with what is read in a round trip, and the room for what
        /// is to be sent with the number of segments on their way. Within the host a round trip is
        /// microseconds, in which the beginning of every stream looks like a fast one. Half of the
        /// ten segments that every stream begins with leave both as they are.
        private static let shapeWithinHost = StreamShape(
            unsentLimit: leastUnsent, segmentSize: 1380, receiveBuffer: 2 * leastWindow,
            growsWithReading: false)

        init(_ socket: consuming StreamSocket) {
            self.socket = socket
        }

        /// The host's end of a connection, which begins to connect.
        init(connectingTo endpoint: Endpoint) throws(Errno) {
            let isWithinHost = StreamSocket.staysWithinHost(endpoint)
            socket = try StreamSocket(
                connectingTo: endpoint, isWithinHost ? Self.shapeWithinHost : Self.shape)
            window = isWithinHost ? Self.leastWindow : nil
        }

        /// Whether something has come that was not read.
        var isReadable: Bool {
            (try? StreamSocket.readiness(of: socket, and: socket))?.0.isReadable ?? false
        }

        /// The other side has shown to take this much at a time. Smaller changes are not worth it.
        func widen(to size: Int) {
            guard let window, size >= 2 * window else { return }
            self.window = size
            try? socket.fixWindow(at: size)
        }

        /// It took a whole portion, and may well take more.
        func hasTakenPortion() {
            portion = min(2 * portion, Self.mostPortion)
        }

        /// It takes no more, or there is no more for now.
        func startOver() {
            portion = min(unsentLimit / 2, Self.mostPortion)
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
        /// How much was moved since this time, in which the sink always took more.
        private var run = (begin: Duration.zero, count: 0)

        /// A link that takes as much in such a time is a fast one. Of what comes seldom or slowly
        /// every link takes all.
        private static let fastRun = (duration: Duration.milliseconds(20), count: 64 * 1024)
        /// So much less than is on its way over the link need be ready to follow.
        private static let windowsPerFlight = 8

        /// Whether nothing waits that was read.
        var isEmpty: Bool { pending.isEmpty }

        /// Moves a portion, if both sides let it.
        mutating func step(
            from source: Side, _ sourceReady: StreamReadiness, to sink: Side,
            _ sinkReady: StreamReadiness, _ buffer: inout [UInt8], at now: Duration
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
                    source.widen(to: sink.unsentLimit / Self.windowsPerFlight)
                    sink.startOver()
                    run = (now, 0)
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
                try move(from: source, isUrgent: sourceReady.isUrgent, to: sink, &buffer, at: now)
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
            from source: Side, isUrgent: Bool, to sink: Side, _ buffer: inout [UInt8],
            at now: Duration
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
            if now - run.begin > Self.fastRun.duration { run = (now, 0) }
            run.count += taken
            if run.count >= Self.fastRun.count { source.widen(to: Side.mostWindow) }
            if taken < count {
                pending = Array(buffer[taken..<count])
                isPendingUrgent = isUrgent
            } else if count == sink.portion {
                sink.hasTakenPortion()
            }
        }
    }
}
