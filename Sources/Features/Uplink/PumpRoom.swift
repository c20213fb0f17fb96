import LinuxKernel

/// What the pumps of one thread need in turn to move data.
package final class PumpRoom {
    /// For data that is copied.
    package var bytes = [UInt8](repeating: 0, count: StreamRelay.Side.mostPortion)

    /// For data that is not; nil if the kernel allows no pipe. Empty whenever a pump has had its
    /// turn.
    private(set) lazy var conduit = Conduit()

    /// Makes room, when it is first needed.
    package init() {}

    /// Lets several pumps use the conduit.
    final class Conduit {
        let pipe: StreamConduit

        init?() {
            do {
                pipe = try StreamConduit(capacity: StreamRelay.Side.mostFastPortion)
            } catch {
                return nil
            }
        }
    }
}

/// How many bytes a stream has moved of late.
struct Pace {
    private var begin = Duration.zero
    private var count = 0
    /// How many it moved in the window before.
    private var lastCount = 0

    private static let window = Duration.milliseconds(20)
    /// How many portions a stream moves in a window at least.
    private static let portionsPerWindow = 8

    /// Counts moved bytes.
    mutating func add(_ bytes: Int, at now: Duration) {
        turn(at: now)
        count += bytes
    }

    /// The largest portion: what the other end takes in a few milliseconds.
    mutating func mostPortion(at now: Duration) -> Int {
        turn(at: now)
        return min(
            max(max(count, lastCount) / Self.portionsPerWindow, StreamRelay.Side.mostPortion),
            StreamRelay.Side.mostFastPortion)
    }

    private mutating func turn(at now: Duration) {
        guard now - begin > Self.window else { return }
        lastCount = now - begin < Self.window * 2 ? count : 0
        (begin, count) = (now, 0)
    }
}
