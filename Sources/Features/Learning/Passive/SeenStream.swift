import Explanation

/// One direction of a TCP connection, as it passes the place of the capture.
struct SeenStream {
    /// Data that is not acknowledged yet.
    private struct Segment {
        var end: UInt32
        var time: Double
    }

    /// What a segment with data is.
    enum Kind {
        case new
        /// It passed here before: the first was lost behind here, or its acknowledgement.
        case again
        /// It was missing here: the first was lost before here.
        case late
        /// It was overtaken before here.
        case overtaken
    }

    private var next: UInt32?
    private var segments: [Segment] = []
    private var holes: [(from: UInt32, to: UInt32, time: Double)] = []
    private var acknowledged: UInt32?

    private static let mostSegments = 2048
    private static let mostHoles = 256

    /// Takes a segment with data.
    ///
    /// - Parameters:
    ///   - time: In milliseconds.
    ///   - patience: How long an overtaken segment may be late.
    mutating func send(
        _ sequence: UInt32, _ length: Int, at time: Double, patience: Double
    ) -> Kind {
        let end = sequence &+ UInt32(truncatingIfNeeded: length)
        guard let next else {
            self.next = end
            remember(end, time)
            return .new
        }
        if Int32(bitPattern: end &- next) > 0 {
            if Int32(bitPattern: sequence &- next) > 0, holes.count < Self.mostHoles {
                holes.append((next, sequence, time))
            }
            self.next = end
            remember(end, time)
            return .new
        }
        if let place = holes.firstIndex(where: {
            Int32(bitPattern: sequence &- $0.from) >= 0 && Int32(bitPattern: end &- $0.to) <= 0
        }) {
            let hole = holes[place]
            if sequence == hole.from, end == hole.to {
                holes.remove(at: place)
            } else if sequence == hole.from {
                holes[place].from = end
            } else {
                holes[place].to = sequence
            }
            return time - hole.time > patience ? .late : .overtaken
        }
        // What its acknowledgement answers is not known (Karn's algorithm, RFC 6298, section 3).
        segments.removeAll { Int32(bitPattern: $0.end &- end) <= 0 }
        return .again
    }

    private mutating func remember(_ end: UInt32, _ time: Double) {
        if segments.count < Self.mostSegments { segments.append(.init(end: end, time: time)) }
    }

    /// Takes an acknowledgement; returns the bytes that are new, and the round trip in milliseconds
    /// if it answers one segment.
    mutating func acknowledge(_ number: UInt32, at time: Double) -> (bytes: Int, roundTrip: Double?)
    {
        var roundTrip: Double?
        if let place = segments.lastIndex(where: { $0.end == number }) {
            roundTrip = time - segments[place].time
        }
        segments.removeAll { Int32(bitPattern: $0.end &- number) <= 0 }
        defer { acknowledged = number }
        guard let before = acknowledged else { return (0, roundTrip) }
        let step = Int32(bitPattern: number &- before)
        guard step > 0 else {
            acknowledged = before
            return (0, roundTrip)
        }
        return (Int(step), roundTrip)
    }
}
