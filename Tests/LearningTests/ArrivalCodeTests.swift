import LinkTesting
import Testing

@testable import Learning

@Suite("Arrivals over the control connection", .tags(.unit))
struct ArrivalCodeTests {
    private func decode(
        _ bytes: [UInt8], _ count: Int, _ end: UInt32
    ) -> (numbers: [UInt32], times: [Int64])? {
        ArrivalCode.decode(bytes.span, count: count, below: end)
    }

    @Test
    func `what is encoded comes back, to the microsecond`() throws {
        let numbers: [UInt32] = [0, 1, 2, 5, 4, 4, 90, 7]
        let times: [Int64] = [
            1_790_000_000_123_456_789, 1_790_000_000_123_500_000, 1_790_000_000_123_500_000,
            1_790_000_001_000_000_000, 1_790_000_000_999_000_000, 1_790_000_002_000_000_000,
            1_790_000_002_000_001_000, 1_790_000_003_000_000_000,
        ]
        let bytes = ArrivalCode.encode(numbers, times)
        let decoded = try #require(decode(bytes, numbers.count, 91))
        #expect(decoded.numbers == numbers)
        #expect(decoded.times == times.map { $0 / 1000 * 1000 })
        #expect(decode(bytes, numbers.count, 90) == nil)
        #expect(decode(bytes, numbers.count - 1, 91) == nil)
    }

    @Test
    func `an arrival in order takes four bytes`() {
        let numbers = (0..<1000).map { UInt32($0) }
        let times = numbers.map { Int64(1_790_000_000_000_000_000) + Int64($0) * 1_000_000 }
        #expect(ArrivalCode.encode(numbers, times).count < 4100)
    }

    @Test
    func `hostile bytes are refused`() {
        for bytes: [UInt8] in [
            [], [0x80], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
            [1, 0], [0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
        ] {
            #expect(decode(bytes, 1, 10) == nil)
        }
        #expect(decode([0, 0], .max, 10) == nil)
        #expect(decode([0, 0], -1, 10) == nil)
    }
}
