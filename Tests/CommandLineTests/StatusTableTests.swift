import DataPlane
import LinkModel
import LinkTesting
import LinkUnits
import LinuxKernel
import Netlink
import Testing

@testable import Multipath
@testable import linkcond

@Suite("The text of status", .tags(.unit))
struct StatusTableTests {
    /// 2026-11-21T06:58:50Z.
    private static let since: Int64 = 1_795_244_330

    private static func lateness(_ p99: Double) -> EngineCounters {
        var counters = EngineCounters()
        counters.lateness = .init(p50: 1, p99: p99, maximum: 2 * p99)
        return counters
    }

    private static func lte(_ name: String = "default") -> ConditionedInterface {
        var lte = ConditionedInterface(
            by: .kernel, on: "eth0", index: 2, name: name, profile: "apple/LTE, down.loss=1%",
            since: since, limit: nil)
        lte.directions = [
            .down: ConditionedDirection(
                DirectionConditions(
                    bandwidth: .megabitsPerSecond(50), delay: .milliseconds(50),
                    loss: .random(.percent(1))),
                DirectionCounters(
                    packets: 1124, lost: 11, queuedPackets: 14, bitsPerSecond: 2_543_210)),
            .up: ConditionedDirection(
                DirectionConditions(bandwidth: .megabitsPerSecond(10), delay: .milliseconds(65)),
                DirectionCounters(packets: 930, bitsPerSecond: 77_000)),
        ]
        return lte
    }

    /// A limit that is shown as this date.
    private static func limit(at date: Int64, process: Int32? = nil) -> TimeLimit {
        TimeLimit(ends: date - KernelClock.date(ofBoot: 0), process: process)
    }

    /// What takes the most room: the longest names, every condition, all limits, high counts.
    private static func longest(_ plane: DataPlaneKind) -> ConditionedInterface {
        var longest = ConditionedInterface(
            by: plane, on: "enp193s0f0np123", index: 3,
            name: String(repeating: "long-name", count: 3) + "-1234",
            profile: "\(String(repeating: "/home/somebody/profiles", count: 8)).yaml, "
                + "down.bandwidth=123.456789 Mbit/s, up.queue=123456 packets, down.ecn=true",
            since: since, limit: limit(at: since + 3600, process: 4_194_303))
        longest.command = "sh -c true"
        longest.selection = "family=ipv6,to=2001:db8:1234:5678:9abc:def0:1234:5678"
        longest.dnsDelay = .microseconds(1_234_567)
        longest.problem = String(repeating: "the packet engine has died; apply again, ", count: 9)
        let conditions = DirectionConditions(
            bandwidth: .bitsPerSecond(123_456_789), delay: .nanoseconds(1_234_567_891),
            jitter: Jitter(amount: .nanoseconds(123_456_789), distribution: .paretonormal),
            loss: .bursts(mean: .percent(12), burst: 123), queue: .packets(1_000_000))
        let counters = DirectionCounters(
            packets: 999_999_999_999, dropped: 99_999_999_999, lost: 99_999_999_999,
            queuedPackets: 9_999_999, bitsPerSecond: 99_900_000_000,
            engine: plane == .engine ? lateness(123_456) : nil)
        longest.directions = [
            .down: ConditionedDirection(conditions, counters),
            .up: ConditionedDirection(conditions, counters),
        ]
        return longest
    }

    @Test func `each interface has its paragraph, and the columns of all line up`() throws {
        var inRun = Self.lte("api")
        inRun.plane = .engine
        inRun.profile = "apple/LTE"
        inRun.command = "curl"
        inRun.limit = Self.limit(at: Self.since + 600)
        inRun.selection = "to=192.0.2.0/24,port=443"
        inRun.dnsDelay = .seconds(3)
        inRun.directions[.down]?.counters.engine = Self.lateness(61.2)
        var dead = Self.lte()
        dead.interface = "wlan0"
        dead.directions = [:]
        dead.problem = "the packet engine has died"
        try Golden("status.txt").expect(
            StatusTable.text([Self.lte(), inRun, dead], isStyled: false))
    }

    @Test func `nothing conditioned is a sentence`() {
        #expect(StatusTable.text([], isStyled: true) == "Nothing is conditioned.\n")
    }

    @Test(arguments: DataPlaneKind.allCases)
    func `no line is wider than a terminal, and nothing is left out`(plane: DataPlaneKind) {
        let longest = Self.longest(plane)
        let text = StatusTable.text([Self.lte(), longest], isStyled: false)
        let lines = text.split(separator: "\n")
        #expect(lines.allSatisfy { Table.width(String($0)) <= 80 }, "\(text)")
        // Words that are broken are whole again without blanks and line breaks.
        let all = text.filter { !$0.isWhitespace }
        let parts = [
            longest.interface, longest.name, longest.profile, longest.problem ?? "",
            plane.rawValue, "2001:db8:1234:5678:9abc:def0:1234:5678", "99.9Gbit/s", "999999999999",
            "123.456789Mbit/s", "1.234567891s", "123.456789ms", "paretonormal", "1000000packets",
            "DNS1.234567slater", "2026-11-21T06:58:50Z", "2026-11-21T07:58:50Z",
            "exitofprocess4194303", "endoftherun",
        ]
        for part in parts { #expect(all.contains(part.filter { !$0.isWhitespace }), "\(part)") }
        if plane == .engine { #expect(all.contains("123.456ms")) }
    }

    @Test func `no name reaches the terminal's commands`() {
        var lte = Self.lte()
        lte.profile = "a\u{1b}[2Jb\nc"
        let text = StatusTable.text([lte], isStyled: false)
        #expect(text.hasPrefix("eth0: a\\u{1b}[2Jb\\u{a}c\n"), "\(text)")
    }

    private static func connection(from text: [String]) throws -> MultipathConnection {
        let remote = Endpoint(try #require(IPAddress("2001:db8:1234:5678:9abc:def0:1:2")), port: 80)
        return MultipathConnection(
            remote: remote,
            paths: try text.enumerated().map { index, text in
                MultipathConnection.Path(
                    path: MultipathPath(
                        from: Endpoint(try #require(IPAddress(text)), port: 65535), to: remote,
                        isBackup: index > 0, roundTripTime: .microseconds(12_345_678),
                        sentBytes: 999_999_999_999, receivedBytes: 999_999_999_999),
                    interface: index > 0 ? "enp193s0f0np123" : nil)
            })
    }

    @Test(arguments: ["198.51.100.200", "2001:db8:1234:5678:9abc:def0:1234:5678"])
    func `paths fit a terminal, with their addresses`(address: String) throws {
        let text = MultipathTable.text(
            [try Self.connection(from: [address, "192.0.2.1"])], isStyled: false)
        let lines = text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(text)")
        #expect(text.hasPrefix("Multipath TCP to [2001:db8:1234:5678:9abc:def0:1:2]:80\n"))
        let endpoint = address.contains(":") ? "[\(address)]:65535" : "\(address):65535"
        for part in [endpoint, "192.0.2.1:65535", "12345.7 ms", "999999999999 B", "reserve"] {
            #expect(text.contains(part), "\(text)")
        }
        #expect(MultipathTable.text([], isStyled: false) == "")
    }
}
