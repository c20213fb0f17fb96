import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import Testing

@Suite("Delivery trace", .tags(.unit))
struct DeliveryTraceTests {
    private static func link(_ text: String, queue: QueueLimit? = .packets(1000)) throws
        -> LinkEmulator
    {
        LinkEmulator(
            DirectionConditions(queue: queue, trace: "some.trace"),
            trace: try DeliveryTrace(parsing: text), seed: 1)
    }

    private static func milliseconds(_ events: [PacketEvent]) -> [Double] {
        events.map { $0.time / .milliseconds(1) }
    }

    @Test func `each line lets a full packet through, and behind the last it starts over`() throws {
        var link = try Self.link("2\n2\n5\n9\n")
        link.enqueue(0..<10, at: .zero)
        let events = link.remainingEvents()
        #expect(Self.milliseconds(events) == [2, 2, 5, 9, 11, 11, 14, 18, 20, 20])
        #expect(events.map(\.slot) == Array(0..<10))
    }

    @Test func `an opportunity that finds nothing to send is lost`() throws {
        var link = try Self.link("2\n2\n5\n9\n")
        link.enqueue(0..<1, at: .milliseconds(2))
        link.enqueue(1..<2, at: .microseconds(8999))
        link.enqueue(2..<3, at: .milliseconds(9))
        let events = link.remainingEvents()
        #expect(Self.milliseconds(events) == [5, 9, 11])
    }

    @Test func `small packets share an opportunity, large ones use several`() throws {
        var small = try Self.link("10\n20\n")
        small.enqueue(0..<7, bytes: 500, at: .zero)
        let shared = small.remainingEvents()
        #expect(Self.milliseconds(shared) == [10, 10, 10, 20, 20, 20, 30])

        var mixed = try Self.link("10\n20\n")
        mixed.enqueue(0..<1, bytes: 1000, at: .zero)
        mixed.enqueue(1..<2, bytes: 2000, at: .zero)
        mixed.enqueue(2..<3, bytes: 4501, at: .zero)
        let used = mixed.remainingEvents()
        #expect(Self.milliseconds(used) == [10, 20, 60])
    }

    @Test func `what an empty queue left of an opportunity does not come back`() throws {
        var link = try Self.link("10\n20\n")
        link.enqueue(0..<1, bytes: 100, at: .zero)
        link.enqueue(1..<2, bytes: 100, at: .milliseconds(10))
        let events = link.remainingEvents()
        #expect(Self.milliseconds(events) == [10, 20])
    }

    @Test func `a saturated trace carries its mean bandwidth, lap for lap`() throws {
        let trace = try DeliveryTrace(parsing: "0\n1\n1\n4\n8\n")
        #expect(trace.period == .milliseconds(8) && trace.opportunityCount == 5)
        #expect(trace.meanBandwidth == .bitsPerSecond(7_500_000))
        var link = try Self.link("0\n1\n1\n4\n8\n", queue: .packets(100_000))
        link.enqueue(0..<50_001, at: .zero)
        // The opportunity at 0 passed as the packets came.
        let events = link.remainingEvents()
        #expect(events.last?.time == .seconds(80) + .milliseconds(1))
    }

    @Test func `a moment far ahead is found at once`() throws {
        var link = try Self.link("3\n7\n")
        link.enqueue(0..<1, at: .seconds(70_000_000) + .milliseconds(4))
        #expect(link.nextEvent == .seconds(70_000_000) + .milliseconds(7))
    }

    @Test func `without a limit the queue is the larger of 50 packets and 100 ms`() throws {
        var slow = try Self.link("10\n", queue: nil)
        slow.enqueue(0..<1000, at: .zero)
        #expect(slow.counters.queuedPackets == 50)
        var fast = try Self.link(
            Array(repeating: "1\n", count: 10).joined(), queue: nil)
        fast.enqueue(0..<2000, at: .zero)
        #expect(fast.counters.queuedPackets == 1000)
    }

    @Test(arguments: ["5", "5\n", "5\r\n", "\n\n 5 \n\n", "\t5"])
    func `blanks and line ends of any kind are read`(text: String) throws {
        #expect(try DeliveryTrace(parsing: text).period == .milliseconds(5))
    }

    @Test(arguments: [
        ("", "the trace is empty; write one line for each moment at which a packet can pass"),
        ("\n\n", "the trace is empty; write one line for each moment at which a packet can pass"),
        (
            "1\n\nx2\n",
            "line 3: \"x2\" is not a moment; write a whole number of milliseconds, one per line"
        ),
        (
            "-1",
            "line 1: \"-1\" is not a moment; write a whole number of milliseconds, one per line"
        ),
        (
            "1 2",
            "line 1: \"1 2\" is not a moment; write a whole number of milliseconds, one per line"
        ),
        ("٣", "line 1: \"٣\" is not a moment; write a whole number of milliseconds, one per line"),
        ("4\n3\n", "line 2: 3 ms comes after 4 ms; write the moments in rising order"),
        (
            "0\n0\n",
            "line 2: the trace ends at 0 ms; its last moment is its length and has to be later"
        ),
        (
            "99999999999999999999999",
            "line 1: 99999999999999999999999 ms is too late; a trace ends within a year"
        ),
    ])
    func `what is no trace is told with its line`(text: String, message: String) {
        let error = #expect(throws: TraceError.self) { try DeliveryTrace(parsing: text) }
        #expect(error?.description == message)
    }
}
