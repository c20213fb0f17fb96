import Foundation
import LinkTesting
import LinkUnits
import Testing

@Suite("Ratio", .tags(.unit))
struct RatioTests {
    @Test(
        "A percentage is read exactly",
        arguments: [
            ("2%", 20_000_000), ("0.13 %", 1_300_000), ("100%", 1_000_000_000), ("0%", 0),
            ("100.000%", 1_000_000_000), ("0.0000001%", 1), ("33.33333333%", 333_333_333),
            ("66.66666666%", 666_666_667), ("0.00000005%", 1),
        ] as [(String, UInt32)])
    func reading(text: String, parts: UInt32) throws {
        #expect(try Ratio(parsing: text).partsPerBillion == parts)
    }

    @Test(
        "What is no percentage is refused with the way out",
        arguments: [
            ("", "is empty; write a percentage such as \"2%\""),
            ("2", "\"2\" has no unit; write \"2%\""),
            ("-2%", "\"-2%\" is negative; a percentage cannot be"),
            ("half", "\"half\" is not a percentage; write one such as \"2%\""),
            (
                "2 percent",
                "\"2 percent\" has an unknown unit \"percent\"; write a percentage such as \"2%\""
            ),
            ("0.00000004%", "\"0.00000004%\" is too small; the smallest share is 0.0000001%"),
            ("200%", "\"200%\" is more than 100%"),
            ("100.00000000001%", "\"100.00000000001%\" is more than 100%"),
            ("18446744073709551615%", "\"18446744073709551615%\" is more than 100%"),
        ])
    func errors(text: String, message: String) {
        #expect(throws: QuantityError(message)) { try Ratio(parsing: text) }
    }

    @Test("Every share is read back from what it prints")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            let parts = UInt32(generator.nextOfAnySize() % 1_000_000_001)
            let ratio = Ratio(knownPartsPerBillion: parts)
            #expect(try Ratio(parsing: ratio.description) == ratio)
            #expect(Ratio(ratio.value) == ratio)
        }
    }

    @Test("A share is from 0 to 1")
    func range() {
        #expect(Ratio(partsPerBillion: 1_000_000_001) == nil)
        #expect(Ratio(partsPerBillion: 1_000_000_000) == .one)
        for value in [-0.001, 1.001, .nan, .infinity] { #expect(Ratio(value) == nil) }
        #expect(Ratio(0.1) == .percent(10))
    }

    @Test("A share is printed as it was written")
    func printing() throws {
        for text in ["0%", "0.1%", "0.13%", "10%", "99.9999999%", "100%"] {
            #expect(try Ratio(parsing: text).description == text)
        }
    }

    @Test("What is no share is refused when it is decoded")
    func decoding() throws {
        let encoded = try JSONEncoder().encode(Ratio.one)
        #expect(try JSONDecoder().decode(Ratio.self, from: encoded) == .one)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                Ratio.self, from: Data(#"{"partsPerBillion": 1000000001}"#.utf8))
        }
    }
}
