/// Why a text is not a quantity: what is wrong and what to write instead.
///
/// The description does not name the text's location; the reader of the file or command line
/// prepends it.
public struct QuantityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with the text, and what to write instead.
    public let description: String

    /// Makes an error from a full sentence, including the remedy.
    public init(_ description: String) {
        self.description = description
    }
}

/// A decimal number and its unit, as written: `12.5 Mbit/s`.
///
/// The number is kept exact (`125` with one fraction digit), so that no value is rounded by binary
/// floating point.
struct Quantity {
    let digits: UInt64
    let fractionDigits: Int
    let unit: String

    /// Splits `text`; the error for a missing unit suggests `example`.
    init(_ text: String, kind: String, example: String) throws(QuantityError) {
        let trimmed = text.trimmingBlanks()
        guard !trimmed.isEmpty else {
            throw QuantityError("is empty; write a \(kind) such as \"\(example)\"")
        }
        guard trimmed.first != "-" else {
            throw QuantityError("\"\(text)\" is negative; a \(kind) cannot be")
        }
        var digits: UInt64 = 0
        var fractionDigits = 0
        var seenDigit = false
        var seenPoint = false
        var rest = trimmed[...]
        while let character = rest.first {
            if character == ".", !seenPoint {
                seenPoint = true
            } else if character.isASCII, let digit = character.wholeNumberValue {
                let (tens, overflow) = digits.multipliedReportingOverflow(by: 10)
                let (sum, overflow2) = tens.addingReportingOverflow(UInt64(digit))
                guard !overflow, !overflow2 else {
                    throw QuantityError("\"\(text)\" has too many digits")
                }
                digits = sum
                seenDigit = true
                if seenPoint { fractionDigits += 1 }
            } else {
                break
            }
            rest.removeFirst()
        }
        guard seenDigit else {
            throw QuantityError("\"\(text)\" is not a \(kind); write one such as \"\(example)\"")
        }
        guard rest.first != "," else {
            throw QuantityError(
                "\"\(text)\" has a comma; write \".\" before decimals, nothing between thousands")
        }
        self.digits = digits
        self.fractionDigits = fractionDigits
        self.unit = String(rest).trimmingBlanks()
        guard !unit.isEmpty else {
            let suggestion = example.split(separator: " ").last.map(String.init) ?? example
            let blank = example.contains(" ") ? " " : ""
            throw QuantityError(
                "\"\(text)\" has no unit; write \"\(trimmed)\(blank)\(unitOnly(suggestion))\"")
        }
    }

    /// The value in base units, `factor` of which make this unit, rounded to the nearest.
    ///
    /// Nil if it does not fit or if a value above zero would become zero.
    func scaled(by factor: UInt64) -> UInt64? {
        guard digits > 0 else { return 0 }
        var divisor: UInt128 = 1
        for _ in 0..<fractionDigits {
            let (product, overflow) = divisor.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            divisor = product
        }
        let product = UInt128(digits) * UInt128(factor)
        let (rounded, overflow) = product.addingReportingOverflow(divisor / 2)
        guard !overflow else { return nil }
        let value = rounded / divisor
        guard value > 0 else { return nil }
        return UInt64(exactly: value)
    }

    /// Whether the number, whatever its unit, is above `limit`.
    func exceeds(_ limit: UInt64) -> Bool {
        // With more than 20 fraction digits, 64 bits of digits are less than one.
        guard fractionDigits <= 20 else { return false }
        let scale = (0..<fractionDigits).reduce(UInt128(1)) { product, _ in product * 10 }
        return UInt128(digits) > UInt128(limit) * scale
    }
}

/// The unit in an example such as `2%`, with no space between number and unit.
private func unitOnly(_ text: String) -> String {
    String(text.drop { $0.isNumber || $0 == "." })
}

/// The shortest exact decimal number for `value`, counted in units of 1/`scale`.
func decimalText(_ value: UInt64, scale: UInt64) -> String {
    let whole = value / scale
    var remainder = value % scale
    guard remainder > 0 else { return String(whole) }
    var fraction = ""
    var place = scale / 10
    while remainder > 0, place > 0 {
        fraction += String(remainder / place)
        remainder %= place
        place /= 10
    }
    return "\(whole).\(fraction)"
}

extension StringProtocol {
    /// The text without leading and trailing blanks and tabs.
    func trimmingBlanks() -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var text = self[...]
        while let first = text.first, isBlank(first) { text = text.dropFirst() }
        while let last = text.last, isBlank(last) { text = text.dropLast() }
        return String(text)
    }
}
