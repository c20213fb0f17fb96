/// Saturating arithmetic on numbers from files and other programs: a result that does not fit
/// becomes the nearest value that does.
extension FixedWidthInteger {
    /// The whole part of `value`, clamped to the range of this type; 0 for NaN.
    public init(saturating value: Double) {
        let whole = value.rounded(.towardZero)
        self = Self(exactly: whole) ?? (whole > 0 ? .max : whole < 0 ? .min : 0)
    }

    /// The sum, clamped to the range of this type.
    public func addingSaturated(_ other: Self) -> Self {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow ? (other > 0 ? .max : .min) : sum
    }

    /// The product of two non-negative numbers, at most the largest value of this type.
    public func multipliedSaturated(by other: Self) -> Self {
        let (product, isOverflow) = multipliedReportingOverflow(by: other)
        return isOverflow ? .max : product
    }
}

extension Duration {
    /// This many seconds, at most 292 years in either direction; zero for NaN.
    public static func seconds(saturating value: Double) -> Duration {
        .nanoseconds(Int64(saturating: value * 1e9))
    }
}
