import Glibc
import LinkModel
import LinkUnits

/// The values of a quantity that a search may run, from one end to the other.
///
/// They lie at equal distances on a scale of ratios, or, if an end is 0, on a linear one, and are
/// rounded to numbers that read well.
public struct SearchedRange: Sendable, Hashable {
    /// The values, from the end that was named first.
    public let values: [OrderedValue]
    /// The values as a profile writes them.
    public let texts: [String]
    /// Where they lie, from 0 to 1.
    public let places: [Double]
    /// Whether equal distances are equal ratios.
    public let isLogarithmic: Bool
    private let quantity: VariedQuantity

    /// More gaps would take more runs than anybody waits for.
    public static let mostGaps = 128

    /// Makes the values between two ends.
    ///
    /// - Parameter precision: How far neighbours are apart: a part of the value, or of the range if
    ///   an end is 0.
    public init(
        from: String, to: String, of quantity: VariedQuantity, precision: Double
    ) throws(BisectionError) {
        self.quantity = quantity
        let first = try Self.value(from, "--from", quantity)
        let last = try Self.value(to, "--to", quantity)
        guard first.unit == last.unit else {
            throw BisectionError(
                .usage,
                "--from \(from) and --to \(to) have different kinds of units; write both in "
                    + "packets, bytes or time")
        }
        guard first.number != last.number else {
            throw BisectionError(
                .usage,
                "--from and --to are both \(first.text(scale: quantity.scale)); give a range, such "
                    + "as one end where the command passes and one where it fails")
        }
        let isLogarithmic = first.number > 0 && last.number > 0
        self.isLogarithmic = isLogarithmic
        let span = isLogarithmic ? abs(log(last.number / first.number)) : 1
        let width = isLogarithmic ? log1p(precision) : precision
        let gaps = min(max(1, (span / width).rounded(.up)), Double(Self.mostGaps))
        var values = [first]
        for step in 1..<max(1, Int(gaps)) {
            let number = Self.number(Double(step) / gaps, first, last, isLogarithmic)
            let next = Self.number(Double(step + 1) / gaps, first, last, isLogarithmic)
            let value = Self.rounded(number, gap: abs(next - number), first.unit)
            if value != values.last, Self.isBetween(value, first, last) { values.append(value) }
        }
        values.append(last)
        self.values = values
        texts = values.map { $0.text(scale: quantity.scale) }
        places = values.map { Self.place($0.number, first, last, isLogarithmic) }
    }

    /// The value at a place between the first and the last, from 0 to 1, for people.
    public func text(at place: Double) -> String {
        let number = Self.number(place, values[0], values[values.count - 1], isLogarithmic)
        let index = places.lastIndex { $0 <= place } ?? 0
        let neighbour = values[index + 1 < values.count ? index + 1 : index - 1]
        let gap = abs(neighbour.number - values[index].number)
        return Self.rounded(number, gap: gap, values[0].unit).text(scale: quantity.scale)
    }

    /// The number at a place.
    public func number(at place: Double) -> Double {
        Self.number(place, values[0], values[values.count - 1], isLogarithmic)
    }

    private static func value(
        _ text: String, _ option: String, _ quantity: VariedQuantity
    ) throws(BisectionError) -> OrderedValue {
        let value: OrderedValue
        do {
            value = try OrderedValue(parsing: text, scale: quantity.scale)
        } catch {
            throw BisectionError(.usage, "\(option): \(error)")
        }
        if let problem = quantity.problem(of: value) {
            throw BisectionError(.usage, "\(option) \(text): \(problem)")
        }
        return value
    }

    private static func number(
        _ place: Double, _ first: OrderedValue, _ last: OrderedValue, _ isLogarithmic: Bool
    ) -> Double {
        isLogarithmic
            ? first.number * exp(log(last.number / first.number) * place)
            : first.number + (last.number - first.number) * place
    }

    private static func place(
        _ number: Double, _ first: OrderedValue, _ last: OrderedValue, _ isLogarithmic: Bool
    ) -> Double {
        isLogarithmic
            ? log(number / first.number) / log(last.number / first.number)
            : (number - first.number) / (last.number - first.number)
    }

    /// With one digit more than the gap needs.
    private static func rounded(
        _ number: Double, gap: Double, _ unit: OrderedValue.Unit
    ) -> OrderedValue {
        let quantum = gap > 0 ? max(1, pow(10, log10(gap).rounded(.down) - 1)) : 1
        return OrderedValue((number / quantum).rounded() * quantum, unit)
    }

    private static func isBetween(
        _ value: OrderedValue, _ first: OrderedValue, _ last: OrderedValue
    ) -> Bool {
        value.number > min(first.number, last.number)
            && value.number < max(first.number, last.number)
    }
}
