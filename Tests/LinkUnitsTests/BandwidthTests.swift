import Foundation
import LinkTesting
import LinkUnits
import Testing

@Suite("Bandwidth", .tags(.unit))
struct BandwidthTests {
    @Test(
        "A rate is read in every spelling",
        arguments: [
            ("10 Mbit/s", 10_000_000), ("10Mbit/s", 10_000_000), ("10 MBIT/S", 10_000_000),
            ("10mbit", 10_000_000), ("780kbit", 780_000), ("1gbit", 1_000_000_000),
            ("2 tbit", 2_000_000_000_000), ("8bit", 8), ("8 bit/s", 8),
            ("1638.4 kbit/s", 1_638_400), (".5 Mbit/s", 500_000), ("5. kbit/s", 5000),
            (" \t10 Mbit/s ", 10_000_000), ("0.0000000000000000000010 Tbit/s", 0),
        ] as [(String, UInt64)])
    func reading(text: String, bits: UInt64) {
        let rate = try? Bandwidth(parsing: text)
        #expect(rate?.bitsPerSecond == (bits == 0 ? nil : bits))
    }

    @Test(
        "A rate is rounded to the nearest bit per second",
        arguments: [
            ("1.4 bit/s", 1), ("1.5 bit/s", 2), ("0.0005 kbit/s", 1), ("0.0014999 kbit/s", 1),
        ] as [(String, UInt64)])
    func rounding(text: String, bits: UInt64) throws {
        #expect(try Bandwidth(parsing: text).bitsPerSecond == bits)
    }

    @Test(
        "What is no rate is refused with the way out",
        arguments: [
            ("", "is empty; write a bandwidth such as \"10 Mbit/s\""),
            ("10", "\"10\" has no unit; write \"10 Mbit/s\""),
            ("-3 Mbit/s", "\"-3 Mbit/s\" is negative; a bandwidth cannot be"),
            ("fast", "\"fast\" is not a bandwidth; write one such as \"10 Mbit/s\""),
            (
                "1,5 Mbit/s",
                "\"1,5 Mbit/s\" has a comma; write \".\" before decimals, nothing between thousands"
            ),
            (
                "10 mbps",
                "\"10 mbps\" is read differently by different tools; write kbit/s, Mbit/s or Gbit/s"
            ),
            (
                "10 KiB",
                "\"10 KiB\" has an unknown unit \"KiB\"; use bit/s, kbit/s, Mbit/s or Gbit/s"
            ),
            (
                "1.2.3 Mbit/s",
                "\"1.2.3 Mbit/s\" has an unknown unit \".3 Mbit/s\"; "
                    + "use bit/s, kbit/s, Mbit/s or Gbit/s"
            ),
            (
                "0 Mbit/s",
                "\"0 Mbit/s\" lets nothing through; write \"unlimited\" for no limit, "
                    + "or blackhole: true for 100 % loss"
            ),
            ("0.4 bit/s", "\"0.4 bit/s\" is outside 1 bit/s to 18,000,000 Tbit/s"),
            ("18446745 Tbit/s", "\"18446745 Tbit/s\" is outside 1 bit/s to 18,000,000 Tbit/s"),
            ("18446744073709551616 bit/s", "\"18446744073709551616 bit/s\" has too many digits"),
        ])
    func errors(text: String, message: String) {
        #expect(throws: QuantityError(message)) { try Bandwidth(parsing: text) }
    }

    @Test("Every rate is read back from what it prints, and from what tc reads")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let rate = Bandwidth.bitsPerSecond(max(1, generator.nextOfAnySize()))
            #expect(try Bandwidth(parsing: rate.description) == rate)
            #expect(try Bandwidth(parsing: rate.tcText) == rate)
        }
        let largest = Bandwidth.bitsPerSecond(.max)
        #expect(try Bandwidth(parsing: largest.description) == largest)
    }

    @Test(
        "A rate is printed in the largest unit that it fills, and for tc in whole numbers",
        arguments: [
            (1, "1 bit/s", "1bit"), (999, "999 bit/s", "999bit"), (1000, "1 kbit/s", "1kbit"),
            (1_638_400, "1.6384 Mbit/s", "1638400bit"), (780_000, "780 kbit/s", "780kbit"),
            (10_000_000, "10 Mbit/s", "10mbit"), (1_000_000_000_000, "1 Tbit/s", "1000gbit"),
        ] as [(UInt64, String, String)])
    func printing(bits: UInt64, text: String, tcText: String) {
        #expect(Bandwidth.bitsPerSecond(bits).description == text)
        #expect(Bandwidth.bitsPerSecond(bits).tcText == tcText)
    }

    @Test("There is no rate of zero")
    func zero() {
        #expect(Bandwidth(bitsPerSecond: 0) == nil)
    }

    @Test("A packet occupies the wire for its bits over the rate, and no arithmetic overflows")
    func serialization() {
        let packet = ByteCount(bytes: 1500)
        #expect(Bandwidth.megabitsPerSecond(12).serializationDelay(of: packet) == .milliseconds(1))
        #expect(
            Bandwidth.bitsPerSecond(1).serializationDelay(of: ByteCount(bytes: .max))
                == .nanoseconds(Int64.max))
    }

    @Test("The bytes of a time are rounded up, and at most those that can be counted")
    func bytesInTime() {
        let rate = Bandwidth.megabitsPerSecond(50)
        #expect(rate.byteCount(in: .milliseconds(100)) == ByteCount(bytes: 625_000))
        #expect(Bandwidth.bitsPerSecond(1).byteCount(in: .nanoseconds(1)) == ByteCount(bytes: 1))
        #expect(rate.byteCount(in: .zero) == ByteCount(bytes: 0))
        #expect(
            Bandwidth.bitsPerSecond(.max).byteCount(in: .nanoseconds(Int64.max))
                == ByteCount(bytes: .max))
    }

    @Test("Rates are ordered by size, whatever their unit")
    func order() {
        #expect(Bandwidth.kilobitsPerSecond(999) < .megabitsPerSecond(1))
    }

    @Test("What is no rate is refused when it is decoded")
    func decoding() throws {
        let rate = Bandwidth.megabitsPerSecond(50)
        let encoded = try JSONEncoder().encode(rate)
        #expect(try JSONDecoder().decode(Bandwidth.self, from: encoded) == rate)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Bandwidth.self, from: Data(#"{"bitsPerSecond": 0}"#.utf8))
        }
    }
}
