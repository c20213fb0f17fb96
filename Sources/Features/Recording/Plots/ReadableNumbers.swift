package import LinkUnits

extension Double {
    /// The number with at most two decimals: `3`, `4.25`.
    package var shortText: String {
        guard isFinite, abs(self) < 1e15 else { return "\(self)" }
        let hundredths = Int64((self * 100).rounded())
        let (whole, rest) = abs(hundredths).quotientAndRemainder(dividingBy: 100)
        let sign = hundredths < 0 ? "-" : ""
        guard rest > 0 else { return "\(sign)\(whole)" }
        return rest % 10 == 0
            ? "\(sign)\(whole).\(rest / 10)" : "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// The exact number: `3`, `2.345`.
    package var exactText: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }

    /// This many seconds for people: `840 ms`, `12.6 s`, `3:05 min`.
    package var secondsText: String {
        if self < 1 { return "\(Int64(saturating: (self * 1000).rounded())) ms" }
        if self < 60 { return "\(((self * 10).rounded() / 10).shortText) s" }
        let seconds = Int64(saturating: rounded())
        return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60) min"
    }
}

extension ByteCount {
    /// The exact size in the largest unit that divides it: `2 MB`, `64 KiB`.
    package var exactText: String {
        let units: [(String, UInt64)] = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)]
        guard bytes > 0, let (name, factor) = units.first(where: { bytes.isMultiple(of: $0.1) })
        else { return description }
        return "\(bytes / factor) \(name)"
    }

    /// The size with two decimals in the largest decimal unit: `2 MB`, `1.48 kB`.
    package var decimalText: String {
        let units: [(String, Double)] = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)]
        guard let (name, factor) = units.first(where: { Double(bytes) >= $0.1 }) else {
            return "\(bytes) B"
        }
        return "\((Double(bytes) / factor).shortText) \(name)"
    }
}

extension UInt64 {
    /// A rate for people: `9.8 Mbit/s`.
    package var rateText: String {
        let units: [(String, Double)] = [("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)]
        guard let (name, factor) = units.first(where: { Double(self) >= $0.1 }) else {
            return "\(self) bit/s"
        }
        return "\((Double(self) / factor).roundedText) \(name)"
    }
}

extension Double {
    /// The number with at most three significant digits and at most two decimals.
    package var roundedText: String {
        abs(self) >= 100
            ? rounded().shortText
            : abs(self) >= 10 ? ((self * 10).rounded() / 10).shortText : shortText
    }
}

extension [Double] {
    /// The mean; nil if empty.
    package var average: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }
}
