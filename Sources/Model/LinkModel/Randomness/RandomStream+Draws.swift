package import LinkUnits

extension RandomStream {
    /// True with exactly this probability; always consumes one random number.
    @inlinable package mutating func isChosen(_ probability: Ratio) -> Bool {
        let scaled = next().multipliedFullWidth(by: UInt64(Ratio.one.partsPerBillion))
        return scaled.high < UInt64(probability.partsPerBillion)
    }

    /// A number from 0 up to but not including 1.
    @inlinable package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// A number below `bound`, which must be above zero; consumes one random number.
    @inlinable package mutating func index(below bound: UInt64) -> UInt64 {
        next().multipliedFullWidth(by: bound).high
    }
}
