/// Numbers with a fixed number of decimals.
package enum DecimalText {
    /// `number` divided by ten to the power of `decimals`.
    package static func text(_ number: UInt64, decimals: Int) -> String {
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return "\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
    }
}
