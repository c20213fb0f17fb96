import Glibc
import LinkUnits

/// Numbers with no more digits than they are worth.
enum Rounding {
    /// The nearest number with so many significant digits.
    static func significant(_ value: Double, digits: Int) -> Double {
        guard value != 0, value.isFinite else { return value }
        let factor = pow(10, Double(digits) - 1 - floor(log10(abs(value))))
        return (value * factor).rounded() / factor
    }

    static func text(_ value: Double, digits: Int) -> String {
        let rounded = significant(value, digits: digits)
        let whole = rounded.rounded()
        if whole == rounded, abs(whole) < 1e15 { return String(Int64(whole)) }
        let decimals = max(0, min(9, digits - 1 - Int(floor(log10(abs(rounded))))))
        let factor = pow(10, Double(decimals))
        let scaled = Int64((abs(rounded) * factor).rounded())
        let fraction = String(scaled % Int64(factor))
        let zeros = String(repeating: "0", count: max(0, decimals - fraction.count))
        var text = "\(scaled / Int64(factor)).\(zeros)\(fraction)"
        while text.last == "0" { text.removeLast() }
        return (rounded < 0 ? "-" : "") + text
    }

    static func bandwidth(_ bits: Double, digits: Int = 4) -> Bandwidth {
        .bitsPerSecond(UInt64(max(1, min(1e15, significant(bits, digits: digits))).rounded()))
    }

    static func rate(_ bits: Double) -> String { bandwidth(bits).description }

    /// A time from milliseconds, to a hundredth of a millisecond below ten, else to a tenth.
    static func duration(_ milliseconds: Double) -> Duration {
        let value = max(0, min(1e9, milliseconds))
        let step = value < 10 ? 100.0 : 10.0
        return .microseconds(Int64((value * step).rounded() * 1000 / step))
    }

    static func percent(_ share: Double) -> String { "\(text(share * 100, digits: 3))%" }
}
