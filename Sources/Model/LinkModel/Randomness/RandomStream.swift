/// The seeded random numbers for one purpose (xoshiro256**, seeded by SplitMix64).
///
/// Each purpose has its own stream, so that enabling one effect does not change another: the same
/// packets are lost with and without jitter.
package struct RandomStream: RandomNumberGenerator, Sendable, Hashable {
    /// The effects that draw random numbers.
    package enum Purpose: UInt64 {
        case loss = 1
        case jitter, duplicate, corrupt, reorder, management, schedule, trace, resolver
    }

    @usableFromInline var a: UInt64
    @usableFromInline var b: UInt64
    @usableFromInline var c: UInt64
    @usableFromInline var d: UInt64

    package init(seed: UInt64, for purpose: Purpose) {
        // Two rounds decorrelate the streams of neighbouring seeds and purposes.
        var expander = SplitMix(state: seed)
        expander = SplitMix(state: expander.next() ^ (purpose.rawValue << 32))
        self.init(
            state: (expander.next(), expander.next(), expander.next(), expander.next()))
    }

    init(state: (UInt64, UInt64, UInt64, UInt64)) {
        (a, b, c, d) = state
    }

    // Called several times for each packet, therefore inlinable.
    @inlinable package mutating func next() -> UInt64 {
        let number = Self.rotated(b &* 5, by: 7) &* 9
        let shifted = b << 17
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = Self.rotated(d, by: 45)
        return number
    }

    @usableFromInline static func rotated(_ number: UInt64, by count: UInt64) -> UInt64 {
        (number << count) | (number >> (64 - count))
    }
}

/// Expands one number into the numbers of a larger state.
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
