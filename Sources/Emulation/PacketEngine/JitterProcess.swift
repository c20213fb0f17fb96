import LinkModel
import LinkUnits

/// A delay that varies with time, and never so fast that a packet overtakes the one before it.
///
/// The usual way, a new delay for each packet and then holding back those that came too early,
/// gives more delay the more packets there are: each waits for the latest before it. Here the
/// variation D(t) is a function of time that is there whether packets look at it or not, so that
/// its mean and spread are the same at every rate.
///
/// D jumps up, as when a link stalls, and slides down, as when it catches up. It slides at most
/// 3/4 of a second per second; so t + D(t) always rises, and packets keep their order.
/// Each slide is drawn by itself: cut the area under the density f at a random height h, equally
/// likely up to the peak. There f is higher between two values, l(h) left and r(h) right of the
/// peak m. D slides either from r to m or from m to l, half of the time each, at a speed between
/// 1/4 and 3/4. A slide over a length takes time in proportion to it, and the chance of a value
/// to lie between l and r is in proportion to the same length: in the long run D spends its time
/// at each value exactly as f has it. Each slide begins at or above m and ends at or below it, so
/// that what lies between two is always a jump up.
///
/// A slide lasts 3.3 standard deviations on average if f is normal. Packets that come at shorter
/// distances have similar delays (no process that keeps the order can do without that); those
/// farther apart than the whole range of f have independent ones. Around the jumps packets are
/// spread, and behind them up to four times as dense as they came.
struct JitterProcess: Sendable {
    /// Seconds that a slide takes per second of its length.
    private static let shortest = 4.0 / 3
    private static let longest = 4.0

    private var jitter: Jitter?
    private var amount = Duration.zero
    private var shape: DelayShape
    private var random: RandomStream

    /// The slide at `lastTime`: where and when it ends, in units of the amount, and its pace.
    private var end = 0.0
    private var endTime = Duration.zero
    private var pace = shortest
    private var lastTime: Duration?

    init(_ jitter: Jitter?, random: RandomStream) {
        self.random = random
        shape = DelayShape.shape(of: .uniform)
        change(to: jitter)
    }

    /// Takes up another variation; the random numbers go on.
    ///
    /// Where only the amount changes, the slide is stretched: a ramp in many steps would otherwise
    /// be a new draw at each of them, and hold back what follows the latest.
    mutating func change(to jitter: Jitter?) {
        guard jitter != self.jitter else { return }
        let old = (distribution: self.jitter?.distribution, amount: amount)
        self.jitter = jitter
        amount = jitter?.amount.bounded ?? .zero
        if let lastTime, old.distribution == jitter?.distribution, old.amount > .zero {
            endTime = lastTime + (endTime - lastTime) * (amount / old.amount)
        } else {
            shape = DelayShape.shape(of: jitter?.distribution ?? .uniform)
            lastTime = nil
        }
    }

    /// The least variation that occurs, not above zero.
    var least: Duration { amount * shape.lowest }

    /// The variation at `now`, which does not go back.
    mutating func variation(at now: Duration) -> Duration {
        guard amount > .zero else { return .zero }
        // Farther apart than the range nothing that was binds what comes.
        let range = amount * (shape.highest - shape.lowest)
        if let lastTime, now - lastTime <= range {
            while endTime <= now { startSlide(at: endTime) }
        } else {
            startAnywhere(at: now)
        }
        lastTime = now
        return amount * end + (endTime - now) / pace
    }

    /// Draws the next slide.
    private mutating func startSlide(at start: Duration) {
        let width = shape.width(below: random.unit())
        pace = Self.shortest + random.unit() * (Self.longest - Self.shortest)
        if random.next() & 1 == 0 {
            slide(from: shape.rightEnd(width: width), to: shape.peak, at: start)
        } else {
            slide(from: shape.peak, to: shape.leftEnd(width: width), at: start)
        }
    }

    /// Draws a moment of the process in the long run.
    private mutating func startAnywhere(at now: Duration) {
        let point = shape.point(at: random.unit(), random.unit())
        // A moment falls into a long slide more often than into a short one.
        let squares = (Self.shortest * Self.shortest, Self.longest * Self.longest)
        pace = (squares.0 + random.unit() * (squares.1 - squares.0)).squareRoot()
        let end = point.value < shape.peak ? shape.leftEnd(width: point.width) : shape.peak
        slide(from: point.value, to: end, at: now)
    }

    private mutating func slide(from value: Double, to end: Double, at start: Duration) {
        self.end = end
        endTime = start + amount * ((value - end) * pace)
    }
}
