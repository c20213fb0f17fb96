import LinkModel
import LinkTesting
import LinkUnits
import ProfileFormat
import Testing

@Suite("Fields of a direction", .tags(.unit))
struct DirectionFieldTests {
    private static let tenMegabits = Bandwidth.megabitsPerSecond(10)

    private static let fields: [(String, DirectionConditions)] = [
        ("bandwidth: 10 Mbit/s", .init(bandwidth: tenMegabits)),
        ("bandwidth: unlimited", .init()),
        ("delay: 50 ms", .init(delay: .milliseconds(50))),
        ("delay: 0 ms", .init()),
        ("jitter: 5 ms", .init(jitter: Jitter(amount: .milliseconds(5)))),
        ("jitter: 0 ms", .init()),
        (
            "jitter: 5 ms, distribution: uniform",
            .init(jitter: Jitter(amount: .milliseconds(5), distribution: .uniform))
        ),
        (
            "distribution: pareto, jitter: 5 ms",
            .init(jitter: Jitter(amount: .milliseconds(5), distribution: .pareto))
        ),
        (
            "jitter: 5 ms, distribution: paretonormal",
            .init(jitter: Jitter(amount: .milliseconds(5), distribution: .paretonormal))
        ),
        ("loss: 10%", .init(loss: .random(.percent(10)))),
        ("loss: { mean: 2%, burst: 8 }", .init(loss: .bursts(mean: .percent(2), burst: 8))),
        (
            "loss: { mean: 2%, burst: 8.5 packets }",
            .init(loss: .bursts(mean: .percent(2), burst: 8.5))
        ),
        ("loss: { mean: 2% }", .init(loss: .random(.percent(2)))),
        ("duplicate: 1%", .init(duplicate: .percent(1))),
        ("corrupt: 1%", .init(corrupt: .percent(1))),
        (
            "delay: 1 ms, reorder: 1%",
            .init(delay: .milliseconds(1), reorder: Reordering(mean: .percent(1), gap: 1))
        ),
        ("reorder: 0%", .init()),
        (
            "delay: 1 ms, reorder: { mean: 1%, gap: 5 packets }",
            .init(delay: .milliseconds(1), reorder: Reordering(mean: .percent(1), gap: 5))
        ),
        (
            "delay: 1 ms, reorder: { mean: 1% }",
            .init(delay: .milliseconds(1), reorder: Reordering(mean: .percent(1), gap: 1))
        ),
        (
            "bandwidth: 10 Mbit/s, queue: 50 packets",
            .init(bandwidth: tenMegabits, queue: .packets(50))
        ),
        (
            "bandwidth: 10 Mbit/s, queue: 1packet",
            .init(bandwidth: tenMegabits, queue: .packets(1))
        ),
        (
            "bandwidth: 10 Mbit/s, queue: 64 KiB",
            .init(bandwidth: tenMegabits, queue: .bytes(ByteCount(bytes: 65536)))
        ),
        (
            "bandwidth: 10 Mbit/s, queue: 200 ms",
            .init(bandwidth: tenMegabits, queue: .time(.milliseconds(200)))
        ),
        ("bandwidth: 10 Mbit/s, aqm: drop-tail", .init(bandwidth: tenMegabits)),
        ("bandwidth: 10 Mbit/s, aqm: codel", .init(bandwidth: tenMegabits, aqm: .codel)),
        ("bandwidth: 10 Mbit/s, aqm: fq_codel", .init(bandwidth: tenMegabits, aqm: .fqCodel)),
        (
            "bandwidth: 10 Mbit/s, aqm: codel, ecn: true",
            .init(bandwidth: tenMegabits, aqm: .codel, ecn: true)
        ),
        ("bandwidth: 10 Mbit/s, aqm: pie", .init(bandwidth: tenMegabits, aqm: .pie)),
        ("mtu: 1280", .init(mtu: LinkMTU(bytes: 1280))),
        ("mtu: unlimited", .init()),
        ("icmp: silent, mtu: 68", .init(mtu: LinkMTU(bytes: 68, icmp: .silent))),
        ("trace: lte.trace", .init(trace: "lte.trace")),
        ("trace: lte.trace, queue: 30 packets", .init(queue: .packets(30), trace: "lte.trace")),
    ]

    @Test("Every field is read in both directions", arguments: fields)
    func reading(fields: String, expected: DirectionConditions) throws {
        let down = try ProfileReader.profile(from: "name: A\ndown: { \(fields) }", file: "a.yaml")
        #expect(down.conditions == LinkConditions(down: expected))
        let up = try ProfileReader.profile(from: "name: A\nup: { \(fields) }", file: "a.yaml")
        #expect(up.conditions == LinkConditions(up: expected))
    }

    private static let wrong: [(String, String)] = [
        ("bandwidth: 10", "bandwidth: \"10\" has no unit; write \"10 Mbit/s\""),
        ("bandwidth: -1 Mbit/s", "bandwidth: \"-1 Mbit/s\" is negative; a bandwidth cannot be"),
        ("bandwidth: [1]", "bandwidth: has to be a single value"),
        ("bandwidth:", "bandwidth: has no value; write one or leave the key out"),
        (
            "bandwidth: 0 Mbit/s",
            "bandwidth: \"0 Mbit/s\" lets nothing through; write \"unlimited\" for no limit, "
                + "or blackhole: true for 100 % loss"
        ),
        ("delay: 50", "delay: \"50\" has no unit; write \"50 ms\""),
        ("delay: -50 ms", "delay: \"-50 ms\" is negative; a duration cannot be"),
        ("delay: 11 min", "delay: 660 s is too long; the longest delay is 600 s"),
        ("jitter: 5", "jitter: \"5\" has no unit; write \"5 ms\""),
        ("jitter: -5 ms", "jitter: \"-5 ms\" is negative; a duration cannot be"),
        (
            "jitter: 5 ms, distribution: gauss",
            "distribution: \"gauss\" is not one of uniform, normal, pareto, paretonormal"
        ),
        (
            "distribution: uniform",
            "distribution: says how jitter is distributed; give a jitter too"
        ),
        ("loss: 200%", "loss: \"200%\" is more than 100%"),
        ("loss: 2", "loss: \"2\" has no unit; write \"2%\""),
        ("loss: -2%", "loss: \"-2%\" is negative; a percentage cannot be"),
        ("loss: [2%]", "loss: has to be a single value"),
        ("loss: { burst: 8 }", "loss.mean: is missing; write { mean: 2%, ... }"),
        (
            "loss: { mean: 2%, burst: many }",
            "loss.burst: \"many\" is not a mean number of packets, such as 8"
        ),
        ("loss: { mean: 2%, brust: 8 }", "loss.brust: unknown key; did you mean burst?"),
        ("loss: { mean: 2%, burst: 0 }", "loss: a burst is 1 to 1,000,000 packets on average"),
        ("loss: { mean: 2%, burst: nan }", "loss: a burst is 1 to 1,000,000 packets on average"),
        ("loss: { mean: 100%, burst: 2 }", "loss: 100% loss has no bursts; write loss: 100%"),
        ("duplicate: 1", "duplicate: \"1\" has no unit; write \"1%\""),
        ("corrupt: 101%", "corrupt: \"101%\" is more than 100%"),
        (
            "delay: 1 ms, reorder: { mean: 1%, gap: 0 }",
            "reorder: the gap is at least 1 packet"
        ),
        (
            "reorder: { mean: 1%, gap: 2.5 }",
            "reorder.gap: \"2.5\" is not a number of packets, such as 5"
        ),
        ("reorder: { gap: 5 }", "reorder.mean: is missing; write { mean: 2%, ... }"),
        (
            "reorder: 1%",
            "reorder: a packet overtakes on the delay line; give the direction a delay"
        ),
        (
            "bandwidth: 1 Mbit/s, queue: 50",
            "queue: \"50\" has no unit; write \"50 packets\", \"50 KiB\" or \"50 ms\""
        ),
        (
            "bandwidth: 1 Mbit/s, queue: long",
            "queue: \"long\" is not a queue length; write \"50 packets\", \"64 KiB\" or \"200 ms\""
        ),
        (
            "bandwidth: 1 Mbit/s, queue: -5 packets",
            "queue: \"-5 packets\" is negative; a queue cannot be"
        ),
        (
            "bandwidth: 1 Mbit/s, queue: 1.5 packets",
            "queue: \"1.5 packets\" is not a whole number of packets"
        ),
        (
            "bandwidth: 1 Mbit/s, queue: 5 0 packets",
            "queue: \"5 0 packets\" is not a whole number of packets"
        ),
        (
            "bandwidth: 1 Mbit/s, queue: 99999999999999999999 packets",
            "queue: \"99999999999999999999 packets\" is not a whole number of packets"
        ),
        (
            "bandwidth: 1 Mbit/s, queue: 18446744073709551615 B",
            "queue: 12297829382473035 packets is outside 1 to 10000000"
        ),
        ("bandwidth: 1 Mbit/s, queue: 0 packets", "queue: 0 packets is outside 1 to 10000000"),
        ("bandwidth: 1 Mbit/s, queue: 0 KiB", "queue: a queue holds at least 1 packet"),
        (
            "queue: 50 packets",
            "queue: nothing queues where no bandwidth limits; give the direction one"
        ),
        (
            "bandwidth: 1 Mbit/s, aqm: red",
            "aqm: \"red\" is not one of drop-tail, codel, fq_codel, pie"
        ),
        (
            "bandwidth: 1 Mbit/s, trace: x",
            "trace: a trace replaces the bandwidth; leave one of them out"
        ),
        ("latency: 5 ms", "latency: unknown key; known here: \(known)"),
        ("dealy: 5 ms", "dealy: unknown key; did you mean delay?"),
        ("[a]: 5 ms", "a key has to be a word; known here: \(known)"),
    ]

    private static let known = ConditionField.keys.joined(separator: ", ")

    @Test("What is wrong with a field is said with file, line and path", arguments: wrong)
    func errors(fields: String, message: String) throws {
        let path = message.hasPrefix("a key") ? "down: " : "down."
        let error = #expect(throws: ProfileError.self) {
            try ProfileReader.profile(
                from: "name: A\n\ndown: { \(fields) }\n", file: "dir/a.yaml")
        }
        #expect(error?.description == "dir/a.yaml:3: \(path)\(message)")
    }

    @Test("The line is that of the field, not of the direction")
    func lines() throws {
        let text = "name: A\nup:\n  bandwidth: 1 Mbit/s\n  loss:\n    mean: 1%\n    burst: x\n"
        let error = #expect(throws: ProfileError.self) {
            try ProfileReader.profile(from: text, file: "a.yaml")
        }
        #expect(
            error?.description
                == "a.yaml:6: up.loss.burst: \"x\" is not a mean number of packets, such as 8")
    }
}
