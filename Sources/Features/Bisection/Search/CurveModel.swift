import Glibc

/// What is believed of a curve of success: a probability for each of many curves (Bayes).
///
/// Every curve falls from the good end to the bad end. They differ in the gap in which they cross
/// one half, in how steeply and in which shape they do (logistic, or with one of its sides drawn
/// out, as extreme values are), and in how often a run ends differently far from there.
struct CurveModel: Sendable {
    private struct Form {
        let width: Double
        let shape: Shape
        /// How often a run fails at the good end, and passes at the bad one.
        let lapses: (good: Double, bad: Double)
        let weight: Double
        /// Where the shape is when the whole curve is at one half.
        let offset: Double

        init(width: Double, shape: Shape, lapses: (good: Double, bad: Double)) {
            self.width = width
            self.shape = shape
            self.lapses = lapses
            // Steep curves without lapses are common: commands that depend on the network alone.
            weight = (width <= 0.001 ? 8 : 1) * (lapses.good + lapses.bad == 0 ? 3 : 1)
            offset = shape.place(of: (0.5 - lapses.bad) / (1 - lapses.good - lapses.bad))
        }

        func value(_ distance: Double) -> Double {
            lapses.bad + (1 - lapses.good - lapses.bad) * shape.value(at: distance / width + offset)
        }
    }

    private enum Shape: CaseIterable {
        case logistic, drawnOutBad, drawnOutGood

        func value(at place: Double) -> Double {
            switch self {
            case .logistic: 1 / (1 + exp(-place))
            case .drawnOutBad: 1 - exp(-exp(place))
            case .drawnOutGood: exp(-exp(-place))
            }
        }

        func place(of value: Double) -> Double {
            switch self {
            case .logistic: log(value / (1 - value))
            case .drawnOutBad: log(-log(1 - value))
            case .drawnOutGood: -log(-log(value))
            }
        }
    }

    private static let forms = [0.001, 0.01, 0.03, 0.07, 0.15, 0.3].flatMap { width in
        Shape.allCases.flatMap { shape in
            [(0, 0), (0.05, 0), (0, 0.05), (0.05, 0.05)].map { lapses in
                Form(width: width, shape: shape, lapses: lapses)
            }
        }
    }

    /// Where the curves cross one half: at both sides of each gap, since a crossing next to a point is
    /// hard to tell from one beyond it.
    private let crossings: [Double]
    /// The belief in each curve: those of the first gap, then those of the next.
    private var weights: [Double]
    /// The curves' values at places that runs were at.
    private var values: [Double: [Double]] = [:]

    private static let sides = [0.06, 0.94]

    /// Begins with the belief that every gap is as likely.
    ///
    /// - Parameter points: The places of the points, from the good end (0) to the bad end (1).
    init(points: [Double]) {
        crossings = zip(points, points.dropFirst()).flatMap { low, high in
            Self.sides.map { low + (high - low) * $0 }
        }
        let all = crossings.flatMap { _ in Self.forms.map(\.weight) }
        let sum = all.reduce(0, +)
        weights = all.map { $0 / sum }
    }

    /// The probability that a run at this place passes.
    func chance(at place: Double) -> Double {
        let values = values(at: place)
        var sum = 0.0
        for index in weights.indices { sum += weights[index] * values[index] }
        return sum
    }

    /// Learns from a run.
    mutating func learn(at place: Double, passed: Bool) {
        let chances = values(at: place)
        values[place] = chances
        var sum = 0.0
        for index in weights.indices {
            weights[index] *= passed ? chances[index] : 1 - chances[index]
            sum += weights[index]
        }
        for index in weights.indices { weights[index] /= sum }
    }

    /// How likely each gap has the crossing.
    var gaps: [Double] {
        let size = Self.forms.count * Self.sides.count
        return (0..<weights.count / size).map { gap in
            var sum = 0.0
            for index in gap * size..<(gap + 1) * size { sum += weights[index] }
            return sum
        }
    }

    private func values(at place: Double) -> [Double] {
        if let known = values[place] { return known }
        var new: [Double] = []
        new.reserveCapacity(weights.count)
        for crossing in crossings {
            for form in Self.forms {
                // Nothing is impossible: a belief that is certain would never change.
                new.append(min(max(form.value(crossing - place), 0.005), 0.995))
            }
        }
        return new
    }
}
