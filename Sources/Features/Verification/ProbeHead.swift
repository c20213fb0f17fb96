import LinkUnits
import LinuxKernel

/// What a probe says: its number and when it was sent. Sender and receiver have to be on one
/// machine, by whose clock the one-way delay is taken.
///
/// In a packet it is three numbers of 64 bits, the least significant byte first: a mark of 16 bits,
/// the length of the payload in 16 and the probe's number in 32; the time in nanoseconds; a check
/// of both. Behind them are zeros alone, so that damage shows anywhere.
package struct ProbeHead: Hashable {
    /// As the sender counts.
    package var number: UInt32
    /// When it was given to the kernel, by `KernelClock.monotonic`, in whole nanoseconds.
    package var sent: Duration

    /// The least payload of a probe.
    package static let byteCount = 24
    private static let mark: UInt64 = 0x6c63

    /// The probe with this number, sent at this time.
    package init(number: UInt32, sent: Duration) {
        (self.number, self.sent) = (number, sent)
    }
}

extension ProbeHead {
    /// Reads the payload of a packet; nil unless it is a probe with each byte as it was sent.
    package init?(_ payload: Span<UInt8>) {
        guard payload.count >= Self.byteCount else { return nil }
        var words: InlineArray<3, UInt64> = [0, 0, 0]
        for index in 0..<Self.byteCount {
            words[index / 8] |= UInt64(payload[index]) &<< UInt64(index % 8 * 8)
        }
        self.init(
            number: UInt32(words[0] >> 32), sent: .nanoseconds(Int64(truncatingIfNeeded: words[1])))
        let expected = self.words(payloadCount: payload.count)
        guard words[0] == expected[0], words[1] == expected[1], words[2] == expected[2],
            payload.extracting(droppingFirst: Self.byteCount).isZero
        else { return nil }
    }

    /// Writes it to the beginning of a payload, whose other bytes are zeros.
    package func write(to payload: inout [UInt8]) {
        let words = self.words(payloadCount: payload.count)
        for index in 0..<Self.byteCount {
            payload[index] = UInt8(truncatingIfNeeded: words[index / 8] &>> UInt64(index % 8 * 8))
        }
    }

    private func words(payloadCount: Int) -> InlineArray<3, UInt64> {
        let identity = Self.mark | UInt64(payloadCount) << 16 | UInt64(number) << 32
        let time = sent.wholeNanoseconds
        // FNV-1a by words: any change of either changes it.
        let prime: UInt64 = 0x100_0000_01b3
        let check = ((0xcbf2_9ce4_8422_2325 ^ identity) &* prime ^ time) &* prime
        return [identity, time, check]
    }
}
