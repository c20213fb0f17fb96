/// The normal distribution with mean 0 and deviation 1. It does not use the C library, so results
/// are identical on every machine to the last bit.
public enum NormalDistribution {
    /// The value below which `share` of the distribution lies, at most `limit` away from the mean.
    ///
    /// Exact to ten digits for a `limit` of 4, to six for a `limit` of 5.
    public static func quantile(_ share: Double, limit: Double = 5) -> Double {
        let wanted = abs(share - 0.5)
        var value = 0.0
        // Halley's method needs ten rounds at most. It approaches from below, where it always
        // converges.
        while value < limit {
            let reached = integral(upTo: value)
            let newton = (wanted - reached.share) / reached.density
            let step = newton / max(0.5, 1 - newton * value / 2)
            guard step > 1e-15 * value else { break }
            value += step
        }
        return share < 0.5 ? -min(value, limit) : min(value, limit)
    }

    /// The share of the distribution between 0 and `value`, exact to 12 digits for values up to 4.
    public static func share(upTo value: Double) -> Double { integral(upTo: value).share }

    /// The share of the distribution between 0 and `value`, and the density there, computed from
    /// their power series.
    private static func integral(upTo value: Double) -> (share: Double, density: Double) {
        var term = 1.0
        var (share, density) = (1.0, 1.0)
        var k = 0.0
        while abs(term) > 1e-17 * abs(share) {
            k += 1
            term *= -value * value / (2 * k)
            share += term / (2 * k + 1)
            density += term
        }
        let peak = 0.398_942_280_401_432_68
        return (value * share * peak, density * peak)
    }
}

/// Finds where a predicate changes its answer.
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
