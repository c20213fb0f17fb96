import LinkTesting
import LinkUnits
import Testing

@Suite("Text of durations", .tags(.unit))
struct DurationTextTests {
    @Test(
        "A duration is read in every spelling",
        arguments: [
            ("50 ms", .milliseconds(50)), ("50ms", .milliseconds(50)),
            ("50 MSEC", .milliseconds(50)),
            ("1.5 s", .milliseconds(1500)), ("2sec", .seconds(2)), ("10 min", .seconds(600)),
            ("10m", .seconds(600)), ("1 h", .seconds(3600)), ("7 us", .microseconds(7)),
            ("7usec", .microseconds(7)), ("7 \u{b5}s", .microseconds(7)),
            ("7 \u{3bc}s", .microseconds(7)), ("3 ns", .nanoseconds(3)),
            ("10m30s", .seconds(630)), (" 1h 30m ", .seconds(5400)),
            ("1h 30 min", .seconds(5400)),
            ("1 s 500 ms", .milliseconds(1500)), ("1h30m", .seconds(5400)),
            ("2 days", .seconds(172_800)), ("1d", .seconds(86_400)), ("1 hour", .seconds(3600)),
            ("2 Hours", .seconds(7200)), ("3 hrs", .seconds(10_800)), ("1hr", .seconds(3600)),
            ("2 mins", .seconds(120)), ("1 minute 5 seconds", .seconds(65)),
            ("1.5 minutes", .seconds(90)), ("5 S", .seconds(5)), (" 2 secs ", .seconds(2)),
            ("20 milliseconds", .milliseconds(20)), ("1 millisecond", .milliseconds(1)),
            ("4 microseconds", .microseconds(4)), ("9 nanoseconds", .nanoseconds(9)),
            ("3nsec", .nanoseconds(3)), ("0 ms", .zero), ("1.2345678 ms", .nanoseconds(1_234_568)),
            ("0.0000000000000000000000000000000000000000000000000 ms", .zero),
        ] as [(String, Duration)])
    func reading(text: String, duration: Duration) throws {
        #expect(try Duration(parsing: text) == duration)
    }

    @Test(
        "What is no duration is refused with the way out",
        arguments: [
            ("", "is empty; write a duration such as \"50 ms\""),
            ("50", "\"50\" has no unit; write \"50 ms\""),
            ("-50 ms", "\"-50 ms\" is negative; a duration cannot be"),
            ("10m30", "\"30\" has no unit; write \"30 ms\""),
            ("1h 200000h 2500000h", "\"1h 200000h 2500000h\" is outside 1 ns to 290 years"),
            ("soon", "\"soon\" is not a duration; write one such as \"50 ms\""),
            ("1:30", "\"1:30\" has an unknown unit \":30\"; use us, ms, s, min, h or d"),
            (
                "1,5 s",
                "\"1,5 s\" has a comma; write \".\" before decimals, nothing between thousands"
            ),
            ("3 weeks", "\"3 weeks\" has an unknown unit \"weeks\"; use us, ms, s, min, h or d"),
            ("0.4 ns", "\"0.4 ns\" is outside 1 ns to 290 years"),
            ("3000000 h", "\"3000000 h\" is outside 1 ns to 290 years"),
        ])
    func errors(text: String, message: String) {
        #expect(throws: QuantityError(message)) { try Duration(parsing: text) }
    }

    @Test("Every duration is read back from what it prints, and from what tc reads")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<2000 {
            let duration = Duration.nanoseconds(Int64(generator.nextOfAnySize() >> 1))
            #expect(try Duration(parsing: duration.unitText) == duration)
            #expect(try Duration(parsing: duration.tcText) == duration)
        }
    }

    @Test(
        "A duration is printed in the largest unit that it fills",
        arguments: [
            (.zero, "0 ms", "0ms"), (.milliseconds(1500), "1.5 s", "1.5s"),
            (.microseconds(41500), "41.5 ms", "41.5ms"), (.microseconds(7), "7 us", "7us"),
            (.nanoseconds(1), "1 ns", "1ns"), (.seconds(600), "600 s", "600s"),
        ] as [(Duration, String, String)])
    func printing(duration: Duration, text: String, tcText: String) {
        #expect(duration.unitText == text)
        #expect(duration.tcText == tcText)
    }

    @Test("Milliseconds keep fractions, nanoseconds drop what is smaller")
    func numbers() {
        #expect(Duration.microseconds(10_484).milliseconds == 10.484)
        #expect(Duration.seconds(3).wholeNanoseconds == 3_000_000_000)
        #expect(
            Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999)
                .wholeNanoseconds == 1)
    }
}
