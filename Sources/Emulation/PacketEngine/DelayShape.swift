/// A unimodal distribution with mean 0 and standard deviation 1 (`uniform`: from -1 to 1), given by
/// the borders of bins with equal probability.
///
/// Within a bin the density is constant, and inversely proportional to its width. The bins whose
/// density reaches a given level are adjacent and include the peak: `JitterProcess` relies on that.
/// It uses basic arithmetic only, so that every machine computes the same numbers.
struct DelayShape: Sendable {
    private static let binCount = 512

    /// The borders of the bins in ascending order, one more than there are bins.
    private let borders: [Double]
    /// The border at the peak: bins get no narrower away from it.
    private let peakIndex: Int
    private let narrowest: Double

    /// A point under the density curve.
    struct Point {
        var value: Double
        /// The width of bins whose density is the height of the point.
        var width: Double
    }

    init(quantile: (Double) -> Double, isNormalized: Bool) {
        let count = Double(Self.binCount)
        var borders = (0...Self.binCount).map { quantile(Double($0) / count) }
        if isNormalized { borders = Self.normalized(borders) }
        let widths = zip(borders.dropFirst(), borders).map { $0 - $1 }
        let narrowest = widths.min() ?? 1
        // Bins that differ by rounding only count as equal; the peak is then in their middle.
        let narrow = widths.indices.filter { widths[$0] <= narrowest * (1 + 1e-9) }
        self.borders = borders
        self.narrowest = narrowest
        peakIndex = ((narrow.first ?? 0) + (narrow.last ?? 0) + 1) / 2
    }

    var lowest: Double { borders.first ?? 0 }
    var highest: Double { borders.last ?? 0 }
    var peak: Double { borders[peakIndex] }

    /// The point for two numbers from 0 to 1: a value drawn from the distribution, and a height
    /// between zero and the density there.
    func point(at share: Double, _ height: Double) -> Point {
        let position = share * Double(Self.binCount)
        let bin = min(Int(position), Self.binCount - 1)
        let width = borders[bin + 1] - borders[bin]
        let value = borders[bin] + (position - Double(bin)) * width
        return Point(value: value, width: width / (1 - height))
    }

    /// The width of bins whose density is this share of the peak below the peak.
    func width(below height: Double) -> Double { narrowest / (1 - height) }

    /// Where the density falls below that of bins with this width, left of the peak.
    func leftEnd(width: Double) -> Double {
        var low = 0
        var high = peakIndex
        while low < high {
            let middle = (low + high) / 2
            if isAtMost(width, bin: middle) { high = middle } else { low = middle + 1 }
        }
        return borders[low]
    }

    /// Where the density falls below that of bins with this width, right of the peak.
    func rightEnd(width: Double) -> Double {
        var low = peakIndex
        var high = Self.binCount
        while low < high {
            let middle = (low + high) / 2
            if isAtMost(width, bin: middle) { low = middle + 1 } else { high = middle }
        }
        return borders[low]
    }

    private func isAtMost(_ width: Double, bin: Int) -> Bool {
        borders[bin + 1] - borders[bin] <= width * (1 + 1e-9)
    }

    /// The borders, shifted and scaled to mean 0 and standard deviation 1.
    private static func normalized(_ borders: [Double]) -> [Double] {
        let count = Double(binCount)
        let bins = zip(borders, borders.dropFirst())
        let mean = bins.reduce(0) { $0 + ($1.0 + $1.1) / 2 } / count
        let variance =
            bins.reduce(0) { sum, bin in
                let distance = (bin.0 + bin.1) / 2 - mean
                let width = bin.1 - bin.0
                return sum + distance * distance + width * width / 12
            } / count
        let deviation = variance.squareRoot()
        return borders.map { ($0 - mean) / deviation }
    }
}
