package import LinuxKernel
package import SystemPackage

extension StreamRelay {
    /// One end of a relayed connection.
    package final class Side {
        package let socket: StreamSocket
        package var token: UInt64 = 0
        /// How many unsent bytes its socket buffer may hold.
        private(set) var unsentLimit = leastUnsent
        /// How much to write at once. The kernel accepts a whole portion if any space is left.
        private(set) var portion = leastUnsent / 2

        /// Whether its peer is on this host.
        let isWithinHost: Bool
        /// How many bytes the peer may send ahead of what is read; nil: the kernel decides.
        private var window: Int?

        /// Enough to send while the relay waits for its turn.
        package static let leastUnsent = 4 * 1024
        private static let mostUnsent = 256 * 1024
        /// With larger portions the kernel would accept more than it has space for.
        static let mostPortion = 32 * 1024
        /// The largest portion of a fast stream.
        static let mostFastPortion = 1024 * 1024

        private static let leastWindow = 4 * 1024
        static let mostWindow = 1024 * 1024

        /// Makes a host behave as if it were directly at the link.
        ///
        /// Its kernel sizes buffers by the number of segments, which have 64 KiB on the loopback,
        /// so it would buffer megabytes that the link has not seen. Up to this size, a segment
        /// counts as 2 KiB.
        package static let shape = StreamShape(
            unsentLimit: leastUnsent, segmentSize: 1380, receiveBuffer: 32 * 1024,
            growsWithReading: true)

        /// The same for a peer on this host.
        ///
        /// A kernel grows the receive window with the bytes read per RTT, and the send buffer with
        /// the number of segments in flight. Within a host, RTTs are microseconds, so the start of
        /// every stream looks like a fast one. Half of the initial ten segments leave both
        /// unchanged.
        package static let shapeWithinHost = StreamShape(
            unsentLimit: leastUnsent, segmentSize: 1380, receiveBuffer: 2 * leastWindow,
            growsWithReading: false, isPaced: false)

        /// The same where no link is to be spared. Large windows and segments take half the work.
        static let directShapeWithinHost = StreamShape(
            unsentLimit: leastUnsent, segmentSize: 0, receiveBuffer: 0, growsWithReading: true,
            isPaced: false)

        package init(_ socket: consuming StreamSocket) {
            self.socket = socket
            isWithinHost = false
        }

        /// The end of a client on this host, accepted by a listener of this shape.
        package init(clientWithinHost socket: consuming StreamSocket) {
            self.socket = socket
            isWithinHost = true
            window = Self.leastWindow
        }

        /// The host's end of a connection; starts to connect.
        ///
        /// - Parameter isDirect: Whether no link is to be spared (`FarNetwork.isDirect`).
        package init(connectingTo endpoint: Endpoint, isDirect: Bool = false) throws(Errno) {
            isWithinHost = StreamSocket.staysWithinHost(endpoint)
            let within = isDirect ? Self.directShapeWithinHost : Self.shapeWithinHost
            socket = try StreamSocket(
                connectingTo: endpoint, isWithinHost ? within : Self.shape)
            window = isWithinHost && !isDirect ? Self.leastWindow : nil
        }

        /// Whether the attempt to connect has succeeded or failed.
        var isConnected: Bool {
            (try? StreamSocket.readiness(of: socket, and: socket))?.0.isWritable ?? false
        }

        /// Whether unread data has arrived.
        var isReadable: Bool {
            (try? StreamSocket.readiness(of: socket, and: socket))?.0.isReadable ?? false
        }

        /// Widens the window to the amount that the other side takes at a time. Small changes are
        /// ignored.
        func widen(to size: Int) {
            guard let window, size >= 2 * window else { return }
            self.window = size
            try? socket.fixWindow(at: size)
        }

        /// Records that it accepted a whole portion and may accept more, of a stream whose portions
        /// may have `most` bytes.
        func hasTakenPortion(most: Int) {
            portion = min(2 * portion, most)
        }

        /// Resets the portion: it accepts no more, or there is no more data for now.
        func startOver(most: Int) {
            portion = most > Self.mostPortion ? most : min(unsentLimit / 2, most)
        }

        /// Adapts the limit of unsent bytes to the bytes in flight, as a sender's own kernel does.
        /// Returns whether the limit has changed.
        func adaptLimit() -> Bool {
            guard let inFlight = try? socket.bytesInFlight() else { return false }
            let limit = min(max(inFlight, Self.leastUnsent), Self.mostUnsent)
            guard abs(limit - unsentLimit) > unsentLimit / 4 else { return false }
            unsentLimit = limit
            // Multipath TCP has no such limit before Linux 6.9.
            return (try? socket.limitUnsent(to: limit)) != nil
        }
    }

    /// One direction of a relayed connection.
    ///
    /// Neither end knows of data that was read and could not be written: its sender believes that
    /// it has arrived. So no more is read than the other side is about to accept. The rest stays
    /// with its sender, whose window closes.
    package struct Pump {
        /// The result of moving data.
        enum Progress {
            /// Nothing to do until one of the sides becomes ready.
            case waiting
            /// Data was moved, and there may be more.
            case moved
            /// The stream has ended, and the other side was told.
            case finished
            /// A side failed.
            case failed
        }

        /// Data that was read but not written; usually empty.
        private var pending: [UInt8] = []
        private var isPendingUrgent = false
        /// Whether its source has ended.
        package private(set) var hasEnded = false
        package private(set) var hasFinished = false
        /// How many bytes it has taken from its source.
        package private(set) var count: UInt64 = 0
        /// How many more it may take.
        package var allowance = Int.max
        /// Whether it keeps the end of the stream from the sink.
        package var holdsEnd = false
        /// The bytes moved since `begin`, while the sink always accepted more.
        private var run = (begin: Duration.zero, count: 0)
        private var pace = Pace()

        /// A link that accepts this much in this time is fast. Any link accepts all of a slow
        /// source's data.
        private static let fastRun = (duration: Duration.milliseconds(20), count: 64 * 1024)
        /// The data ready to follow need only be the data in flight divided by this.
        private static let windowsPerFlight = 8

        /// Makes one that first sends these bytes, which are not of the source's stream.
        init(first bytes: [UInt8] = []) { pending = bytes }

        /// Whether no read data waits.
        package var isEmpty: Bool { pending.isEmpty }

        /// Moves one portion if both sides allow it.
        mutating func step(
            from source: Side, _ sourceReady: StreamReadiness, to sink: Side,
            _ sinkReady: StreamReadiness, _ room: PumpRoom, at now: Duration
        ) -> Progress {
            guard !hasFinished else { return .finished }
            do throws(Errno) {
                if hasEnded, pending.isEmpty {
                    guard !holdsEnd else { return .waiting }
                    sink.socket.finishSending()
                    hasFinished = true
                    return .finished
                }
                guard sinkReady.isWritable else {
                    let isChanged = sink.adaptLimit()
                    source.widen(to: sink.unsentLimit / Self.windowsPerFlight)
                    sink.startOver(most: pace.mostPortion(at: now))
                    run = (now, 0)
                    return isChanged ? .moved : .waiting
                }
                guard pending.isEmpty else {
                    try sendPending(to: sink)
                    return .moved
                }
                guard sourceReady.isReadable, allowance > 0 else {
                    sink.startOver(most: pace.mostPortion(at: now))
                    return .waiting
                }
                try move(from: source, isUrgent: sourceReady.isUrgent, to: sink, room, at: now)
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

        /// Moves the data before the urgent byte, or only that byte.
        ///
        /// - Parameter isUrgent: Whether there is an urgent byte.
        private mutating func move(
            from source: Side, isUrgent: Bool, to sink: Side, _ room: PumpRoom, at now: Duration
        ) throws(Errno) {
            let limit = min(sink.portion, allowance)
            if limit > Side.mostPortion, !isUrgent, let conduit = room.conduit,
                let count = try Self.take(from: source, by: conduit, limit: limit), count > 0
            {
                let taken = try give(count, by: conduit, to: sink)
                record(taken, of: count, limit: limit, source, sink, at: now)
                return
            }
            let isUrgent = isUrgent && source.socket.isAtUrgentByte()
            let count = try source.socket.receive(
                into: &room.bytes, limit: isUrgent ? 1 : min(limit, Side.mostPortion))
            guard count > 0 else {
                hasEnded = true
                return
            }
            var taken = 0
            do {
                taken = try sink.socket.send(room.bytes, 0..<count, isUrgent: isUrgent)
            } catch {
                guard error == .wouldBlock else { throw error }
            }
            if taken < count {
                pending = Array(room.bytes[taken..<count])
                isPendingUrgent = isUrgent
            }
            record(taken, of: count, limit: limit, source, sink, at: now)
        }

        /// Takes bytes into the conduit; nil if they have to be read instead.
        ///
        /// The kernel tells the reason of a failure only once: who reads after a reset finds the end
        /// of the stream.
        private static func take(
            from source: Side, by conduit: PumpRoom.Conduit, limit: Int
        ) throws(Errno) -> Int? {
            do {
                return try conduit.pipe.take(from: source.socket, limit: limit)
            } catch {
                guard [.wouldBlock, .invalidArgument].contains(error) else { throw error }
                return nil
            }
        }

        /// Gives the sink `count` bytes that are in the conduit, and returns how many it has taken.
        private mutating func give(
            _ count: Int, by conduit: PumpRoom.Conduit, to sink: Side
        ) throws(Errno) -> Int {
            var taken = 0
            defer {
                if taken < count {
                    pending = conduit.pipe.remove(count - taken)
                    isPendingUrgent = false
                }
            }
            do {
                // The kernel moves a part of it at a time.
                while taken < count {
                    taken += try conduit.pipe.give(to: sink.socket, limit: count - taken)
                }
            } catch {
                guard error == .wouldBlock else { throw error }
            }
            return taken
        }

        /// Records that the sink has taken so many of `count` bytes, of at most `limit`.
        private mutating func record(
            _ taken: Int, of count: Int, limit: Int, _ source: Side, _ sink: Side, at now: Duration
        ) {
            self.count += UInt64(count)
            if allowance != .max { allowance -= count }
            if now - run.begin > Self.fastRun.duration { run = (now, 0) }
            run.count += taken
            if run.count >= Self.fastRun.count { source.widen(to: Side.mostWindow) }
            pace.add(taken, at: now)
            if taken == count, count == limit {
                sink.hasTakenPortion(most: pace.mostPortion(at: now))
            }
        }
    }
}
