/// The normal distribution with mean 0 and deviation 1, without the C library: the same on every
/// machine, to the last bit.
public enum NormalDistribution {
    /// The value below which `share` of the distribution lies, at most `limit` away from the mean.
    ///
    /// Exact to ten digits where `limit` is 4, to six where it is 5.
    public static func quantile(_ share: Double, limit: Double = 5) -> Double {
        let wanted = share - 0.5
        return Bisection.solve(from: -limit, to: limit) {
            ($0 < 0 ? -self.share(upTo: -$0) : self.share(upTo: $0)) < wanted
        }
    }

    /// The share of the distribution between 0 and `value`, by its power series: exact to 12 digits
    /// up to 4.
    public static func share(upTo value: Double) -> Double {
        var term = value
        var sum = value
        var k = 0.0
        while abs(term) > 1e-17 * abs(sum) {
            k += 1
            term *= -value * value / (2 * k)
            sum += term / (2 * k + 1)
        }
        return sum * 0.398_942_280_401_432_68
    }
}

/// Where something turns from one answer to the other.
public enum Bisection {
    /// The value between `low` and `high` at which `isBelow` turns false.
    public static func solve(
        from low: Double, to high: Double, isBelow: (Double) -> Bool
    ) -> Double {
        var (low, high) = (low, high)
        for _ in 0..<48 {
            let middle = (low + high) / 2
            if isBelow(middle) { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }
}
