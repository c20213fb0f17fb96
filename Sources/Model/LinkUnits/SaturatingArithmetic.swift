/// Arithmetic on numbers that come from files and from other programs: what does not fit becomes
/// the nearest number that does.
extension FixedWidthInteger {
    /// The whole part of `value`, or the nearest number that there is; 0 for what is no number.
    public init(saturating value: Double) {
        let whole = value.rounded(.towardZero)
        self = Self(exactly: whole) ?? (whole > 0 ? .max : whole < 0 ? .min : 0)
    }

    /// The sum, or the nearest number that there is.
    public func addingSaturated(_ other: Self) -> Self {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow ? (other > 0 ? .max : .min) : sum
    }

    /// The product of two numbers that are not negative, or the largest number that there is.
    public func multipliedSaturated(by other: Self) -> Self {
        let (product, isOverflow) = multipliedReportingOverflow(by: other)
        return isOverflow ? .max : product
    }
}

extension Duration {
    /// This many seconds, or the nearest time within 292 years; none for what is no number.
    public static func seconds(saturating value: Double) -> Duration {
        .nanoseconds(Int64(saturating: value * 1e9))
    }
}
