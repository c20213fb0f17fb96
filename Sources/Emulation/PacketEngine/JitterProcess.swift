import LinkModel
import LinkUnits

/// A delay that varies with time, but never so fast that a packet overtakes the one before it.
///
/// The usual way is to draw a new delay for each packet and to hold back those that would overtake.
/// Then the delay grows with the packet rate, since each packet waits for the latest before it.
/// Here the variation D(t) is a function of time, independent of the packets, so that its mean and
/// spread are the same at every rate.
///
/// D jumps up, as when a link stalls, and slides down, as when it catches up. It slides by at most
/// 3/4 of a second per second, so t + D(t) always rises, and packets keep their order. Each slide
/// is drawn independently: cut the area under the density f at a random height h, uniform up to the
/// peak. There f is higher between two values, l(h) left and r(h) right of the peak m. D slides
/// either from r to m or from m to l, each half of the time, at a speed between 1/4 and 3/4. The
/// time of a slide is proportional to its length, and so is the probability of a value between l
/// and r: in the long run D spends its time at each value exactly according to f. Each slide starts
/// at or above m and ends at or below it, so the change between two slides is always a jump up.
///
/// A slide lasts 3.3 standard deviations on average if f is normal. Packets closer together than
/// that have similar delays (inevitable for any process that keeps the order); those farther apart
/// than the whole range of f have independent delays. Around a jump packets are spread out, and
/// after it up to four times as dense as they arrived.
struct JitterProcess: Sendable {
    /// Seconds that a slide takes per second of its length.
    private static let shortest = 4.0 / 3
    private static let longest = 4.0

    private var jitter: Jitter?
    private var amount = Duration.zero
    private var shape: DelayShape
    private var random: RandomStream

    /// The current slide as of `lastTime`: its end value and time, in units of the amount, and its
    /// pace.
    private var end = 0.0
    private var endTime = Duration.zero
    private var pace = shortest
    private var lastTime: Duration?

    init(_ jitter: Jitter?, random: RandomStream) {
        self.random = random
        shape = DelayShape.shape(of: .uniform)
        change(to: jitter)
    }

    /// Changes the jitter; the random stream continues.
    ///
    /// If only the amount changes, the current slide is scaled. Otherwise each step of a ramp would
    /// be a new draw, and packets would wait for the latest of them.
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

    /// The smallest possible variation, zero or below.
    var least: Duration { amount * shape.lowest }

    /// The variation at `now`, which must not decrease.
    mutating func variation(at now: Duration) -> Duration {
        guard amount > .zero else { return .zero }
        // Beyond the whole range, past delays no longer affect the next one.
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

    /// Draws a random moment from the stationary process.
    private mutating func startAnywhere(at now: Duration) {
        let point = shape.point(at: random.unit(), random.unit())
        // A random moment is more likely to fall into a long slide than into a short one.
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
