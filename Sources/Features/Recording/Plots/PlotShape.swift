import LinkUnits

/// Curves over time in a box of 1000 by 1000, which the page stretches to the available space.
package struct PlotShape {
    let samples: [LinkSample]
    /// The value at the upper edge.
    let top: Double

    /// The time at the right edge.
    let end: Double

    /// Curves of `samples`, the last of which ends at the right edge.
    package init(samples: [LinkSample], top: Double) {
        self.samples = samples
        self.top = top
        end = samples.last?.seconds ?? 0
    }

    /// Curves of `samples` with `end` at the right edge.
    package init(samples: [LinkSample], end: Double, top: Double) {
        self.samples = samples
        self.top = top
        self.end = end
    }

    /// A step curve: each value holds for the duration of its sample.
    package func steps(_ value: (LinkSample) -> Double) -> Markup {
        var path = "M0 1000"
        var height = 1000
        for (index, sample) in samples.enumerated() {
            let next = self.height(value(sample))
            if next != height { path += "V\(next)" }
            height = next
            // A run of equal values becomes one line.
            let following = index + 1 < samples.count ? self.height(value(samples[index + 1])) : -1
            if following != height { path += "H\(position(sample.seconds))" }
        }
        // Return to the baseline, so that the area below can be filled.
        if height != 1000 { path += "V1000" }
        return Markup(trusted: path)
    }

    /// Points joined by lines, interrupted where there is no value.
    package func lines(_ value: (LinkSample) -> Double?) -> Markup {
        var path = ""
        var isJoined = false
        for sample in samples {
            guard let value = value(sample) else {
                isJoined = false
                continue
            }
            let point = "\(position(sample.seconds)) \(height(value))"
            // An isolated point is a line of zero length, which has round ends.
            path += isJoined ? "L\(point)" : "M\(point)h0"
            isJoined = true
        }
        return Markup(trusted: path)
    }

    private func height(_ value: Double) -> Int {
        top > 0 ? 1000 - Int((min(max(value / top, 0), 1) * 1000).rounded()) : 1000
    }

    private func position(_ seconds: Double) -> Int {
        end > 0 ? Int((min(max(seconds / end, 0), 1) * 1000).rounded()) : 0
    }

    /// The next number of 1, 2, 5, 10, 20 and so on, so that its half reads well.
    package static func niceTop(for value: Double) -> Double {
        guard value > 0, value.isFinite else { return 1 }
        var unit = 1.0
        while unit * 10 <= value { unit *= 10 }
        while unit > value { unit /= 10 }
        return [1, 2, 5, 10].map { $0 * unit }.first { $0 >= value } ?? value
    }
}

extension [LinkSample] {
    /// At most `count` samples for the same time: mean rates and delays, total drops, the longest
    /// queue.
    package func reduced(to count: Int) -> [LinkSample] {
        guard self.count > count, count > 0 else { return self }
        return (0..<count).map { index in
            let range = (index * self.count / count)..<((index + 1) * self.count / count)
            let samples = self[range]
            let starts = range.map { $0 == 0 ? 0 : self[$0 - 1].seconds }
            let lengths = zip(samples, starts).map { Swift.max(0, $0.seconds - $1) }
            return LinkSample(
                seconds: self[range.upperBound - 1].seconds,
                up: Self.merge(samples.map(\.up), lengths),
                down: Self.merge(samples.map(\.down), lengths))
        }
    }

    private static func merge(_ ways: [DirectionSample], _ lengths: [Double]) -> DirectionSample {
        let length = lengths.reduce(0, +)
        let bits = zip(ways, lengths).reduce(0) { $0 + Double($1.0.bitsPerSecond) * $1.1 }
        return DirectionSample(
            bitsPerSecond: length > 0
                ? UInt64(saturating: bits / length) : ways.last?.bitsPerSecond ?? 0,
            delayMilliseconds: ways.compactMap(\.delayMilliseconds).average,
            dropped: ways.reduce(0) { $0.addingSaturated($1.dropped) },
            lost: ways.reduce(0) { $0.addingSaturated($1.lost) },
            queuedPackets: ways.map(\.queuedPackets).max() ?? 0)
    }
}

/// A step curve of values that each hold until the next one.
struct HeldValues {
    let scale: TimeScale
    /// The value at the upper edge; higher values are cut off.
    let top: Double

    /// The line, interrupted where there is no value.
    func line(_ values: [(seconds: Double, value: Double?)]) -> Markup {
        var path = ""
        var height: Int?
        for (index, entry) in values.enumerated() {
            let start = scale.position(entry.seconds)
            let end = index + 1 < values.count ? scale.position(values[index + 1].seconds) : 1000
            // Of several steps at the same position in a steep ramp, only the last is drawn.
            guard end > start else { continue }
            guard let value = entry.value, value <= top * 1.001, top > 0 else {
                height = nil
                continue
            }
            let next = 1000 - Int((min(max(value / top, 0), 1) * 1000).rounded())
            path += height == nil ? "M\(start) \(next)" : next == height ? "" : "V\(next)"
            path += "H\(end)"
            height = next
        }
        return Markup(trusted: path)
    }
}
