import LinuxKernel

extension StreamRelay {
    /// Both directions of a relayed connection.
    package struct Pumps {
        /// What remains to be done after moving data.
        package enum Outcome {
            /// Nothing until one of the sides becomes ready.
            case waiting
            /// More data may follow; others get their turn first.
            case unfinished
            /// Both streams have ended.
            case over
            /// A side failed.
            case failed
        }

        package var up: Pump
        package var down: Pump
        /// The direction that goes on after the other has failed; nil: both do.
        private var rest: Way?

        private enum Way { case up, down }

        /// Whether the far side has failed, so that nothing more can go up.
        var upHasFailed: Bool { rest == .down }

        /// Makes both.
        ///
        /// - Parameters:
        ///   - upFirst: What goes up before what is read.
        ///   - downFirst: What goes down before what is read.
        package init(upFirst: [UInt8] = [], downFirst: [UInt8] = []) {
            (up, down) = (Pump(first: upFirst), Pump(first: downFirst))
        }

        /// How many bytes were moved in both directions.
        var count: UInt64 { up.count + down.count }

        /// How many portions a connection moves before others get their turn.
        private static let turn = 8

        /// Moves data as long as both sides allow it; up is from `near` to `far`.
        ///
        /// A side that has reset its connection may have sent something before: the other side gets
        /// that first, as it would without a relay. A server that refuses an upload answers and closes.
        package mutating func move(
            between near: Side, and far: Side, _ room: PumpRoom, at now: Duration
        ) -> Outcome {
            for _ in 0..<Self.turn {
                guard
                    let (nearReady, farReady) = try? StreamSocket.readiness(
                        of: near.socket, and: far.socket)
                else { return .failed }
                if let rest {
                    let progress =
                        rest == .up
                        ? up.lastStep(from: near, nearReady, to: far, farReady, room, at: now)
                        : down.lastStep(from: far, farReady, to: near, nearReady, room, at: now)
                    let takesMore = (rest == .up ? farReady : nearReady).isWritable
                    switch progress {
                    case .moved: continue
                    case .waiting where !takesMore: return .waiting
                    case .waiting, .finished, .failed: return .failed
                    }
                }
                let upward = up.step(
                    from: near, nearReady, to: far, farReady, room, at: now)
                let downward = down.step(
                    from: far, farReady, to: near, nearReady, room, at: now)
                switch (upward, downward) {
                case (.failed, .failed): return .failed
                case (.failed, _): rest = .down
                case (_, .failed): rest = .up
                case (.finished, .finished): return .over
                case (.moved, _), (_, .moved): continue
                default: return .waiting
                }
            }
            return .unfinished
        }
    }
}

extension StreamRelay.Pump {
    /// A step of a stream whose end is a reset, which the caller passes on.
    fileprivate mutating func lastStep(
        from source: StreamRelay.Side, _ sourceReady: StreamReadiness, to sink: StreamRelay.Side,
        _ sinkReady: StreamReadiness, _ room: PumpRoom, at now: Duration
    ) -> Progress {
        hasEnded && isEmpty
            ? .finished : step(from: source, sourceReady, to: sink, sinkReady, room, at: now)
    }
}
