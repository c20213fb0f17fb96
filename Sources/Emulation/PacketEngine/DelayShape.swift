/// A distribution with mean 0 and deviation 1 (`uniform`: from -1 to 1) that has one peak, as the
/// borders of bins with equal shares.
///
/// Within a bin the density is constant, so it is the lower the wider the bin is. The bins at
/// least so high as some level stand next to each other around the peak: `JitterProcess` needs
/// them. All of it is plain arithmetic, so that every machine has the same numbers.
struct DelayShape: Sendable {
    private static let binCount = 512

    /// The borders of the bins in rising order, one more than there are bins.
    private let borders: [Double]
    /// The border that is the peak: bins get no narrower away from it.
    private let peakIndex: Int
    private let narrowest: Double

    /// A point under the curve: its place and how high it stands.
    struct Point {
        var value: Double
        /// The width of bins as high as the point.
        var width: Double
    }

    init(quantile: (Double) -> Double, isNormalized: Bool) {
        let count = Double(Self.binCount)
        var borders = (0...Self.binCount).map { quantile(Double($0) / count) }
        if isNormalized { borders = Self.normalized(borders) }
        let widths = zip(borders.dropFirst(), borders).map { $0 - $1 }
        let narrowest = widths.min() ?? 1
        // Bins that differ by rounding alone are equal, and then the peak is in their middle.
        let narrow = widths.indices.filter { widths[$0] <= narrowest * (1 + 1e-9) }
        self.borders = borders
        self.narrowest = narrowest
        peakIndex = ((narrow.first ?? 0) + (narrow.last ?? 0) + 1) / 2
    }

    var lowest: Double { borders.first ?? 0 }
    var highest: Double { borders.last ?? 0 }
    var peak: Double { borders[peakIndex] }

    /// The point at these two numbers from 0 to 1: a value drawn from the distribution, and a
    /// height between none and that of the curve there.
    func point(at share: Double, _ height: Double) -> Point {
        let position = share * Double(Self.binCount)
        let bin = min(Int(position), Self.binCount - 1)
        let width = borders[bin + 1] - borders[bin]
        let value = borders[bin] + (position - Double(bin)) * width
        return Point(value: value, width: width / (1 - height))
    }

    /// The width of bins at this share of the peak's height below the peak.
    func width(below height: Double) -> Double { narrowest / (1 - height) }

    /// Where the curve falls below the height of bins with this width, left of the peak.
    func leftEnd(width: Double) -> Double {
        var low = 0
        var high = peakIndex
        while low < high {
            let middle = (low + high) / 2
            if isAtMost(width, bin: middle) { high = middle } else { low = middle + 1 }
        }
        return borders[low]
    }

    /// Where the curve falls below the height of bins with this width, right of the peak.
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

    /// The borders shifted and scaled, so that the mean is 0 and the deviation 1.
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
