import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import Explanation

@Suite("Captures whose packets are not in the order of time", .tags(.unit))
struct UnorderedCaptureTests {
    private static let header = 24

    /// The records of a pcap file, of two requests with a pause between them.
    private static func sample() throws -> (header: [UInt8], records: [[UInt8]]) {
        var run = CapturedRun(bandwidth: .megabitsPerSecond(1), delay: .milliseconds(50))
        var connection = ScriptedConnection(port: 4000)
        let opened = connection.open(at: .zero, in: &run)
        let answered = connection.request("/a", at: opened, bytes: 20_000, in: &run)
        _ = connection.request("/b", at: answered + .seconds(2), bytes: 20_000, in: &run)
        let file = try #require(ClassicFile.converted(run.file()))
        var records: [[UInt8]] = []
        var offset = header
        while offset < file.count {
            // Small packets need two bytes of their length.
            let length = 16 + Int(file[offset + 8]) + Int(file[offset + 9]) << 8
            records.append(Array(file[offset..<offset + length]))
            offset += length
        }
        return (Array(file.prefix(header)), records)
    }

    private static func explain(
        _ header: [UInt8], _ records: [[UInt8]]
    ) throws(ExplanationError) -> Explanation {
        var explainer = try Explainer(header + records.joined(), name: "a.pcap")
        return try explainer.explain()
    }

    /// The records later by one in a byte of their seconds.
    private static func later(_ records: [[UInt8]], byte: Int) -> [[UInt8]] {
        records.map { record in
            var record = record
            record[byte] += 1
            return record
        }
    }

    private static func expectPossibleTimes(_ found: Explanation, _ comment: Comment) {
        #expect(found.shares.values.reduce(.zero, +) == found.duration, comment)
        let isWithin = { (start: Duration, end: Duration) in
            start >= .zero && end >= start && end <= found.duration
        }
        for connection in found.connections {
            #expect(isWithin(connection.start, connection.end), comment)
            if let end = connection.handshakeEnd {
                #expect(isWithin(connection.start, end), comment)
            }
            #expect(connection.roundTrips.least ?? .zero >= .zero, comment)
        }
        for request in found.requests {
            #expect(isWithin(request.start, request.end ?? request.start), comment)
            #expect(isWithin(request.start, request.firstByte ?? request.start), comment)
            #expect(request.idle >= .zero, comment)
        }
        for stretch in found.path { #expect(isWithin(stretch.start, stretch.end), comment) }
        #expect(found.notes.contains { $0.contains("sort them first: reordercap ") }, comment)
    }

    /// Between two hosts, and within one.
    @Test(arguments: [nil, [127, 0, 0, 1]] as [[UInt8]?])
    func `an answer before the packet that opens its connection is of the same`(
        loopback: [UInt8]?
    ) throws {
        var (header, records) = try Self.sample()
        if let loopback {
            records = records.map {
                $0.replacing([192, 0, 2, 1], with: loopback)
                    .replacing([192, 0, 2, 2], with: loopback)
            }
        }
        let expected = try Self.explain(header, records)
        records.swapAt(0, 1)
        let found = try Self.explain(header, records)
        Self.expectPossibleTimes(found, "swapped")
        #expect(found.connections.count == 1 && found.requests.count == 2)
        #expect(found.connections.map(\.near) == expected.connections.map(\.near))
        #expect(found.connections.map(\.start) == [.zero])
        #expect(found.shares == expected.shares)
    }

    /// Minutes apart, and half a year.
    @Test(arguments: [1, 3])
    func `recordings joined backwards begin with the earliest`(byte: Int) throws {
        let (header, records) = try Self.sample()
        let next = Self.later(records, byte: byte)
        let expected = try Self.explain(header, records + next)
        let found = try Self.explain(header, next + records)
        Self.expectPossibleTimes(found, "backwards")
        #expect(found.duration == expected.duration)
    }

    @Test func `no order makes times impossible`() throws {
        let (header, records) = try Self.sample()
        Self.expectPossibleTimes(try Self.explain(header, records.reversed()), "reversed")
        for count in 1..<records.count {
            let turned = Array(records[count...] + records[..<count])
            Self.expectPossibleTimes(try Self.explain(header, turned), "from \(count)")
        }
        for seed in 1...100 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let shuffled = records.shuffled(using: &random)
            Self.expectPossibleTimes(try Self.explain(header, shuffled), "seed \(seed)")
        }
    }
}
