import Bisection
import LinkModel
import LinkTesting
import Testing

@Suite("Ranges of quantities", .tags(.unit))
struct SearchedRangeTests {
    private func range(
        _ from: String, _ to: String, _ name: String, precision: Double = 0.05
    ) throws -> SearchedRange {
        try SearchedRange(
            from: from, to: to, of: VariedQuantity(named: name), precision: precision)
    }

    @Test("Bandwidths lie at equal ratios and read well")
    func bandwidth() throws {
        let range = try range("10Mbit/s", "50 kbit/s", "down.bandwidth")
        #expect(range.isLogarithmic)
        #expect(range.texts.first == "10 Mbit/s")
        #expect(range.texts.last == "50 kbit/s")
        #expect(range.values.count == 110)
        #expect(range.texts[1] == "9.53 Mbit/s")
        #expect(range.text(at: 0.6) == "416 kbit/s")
        let steps = zip(range.places, range.places.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { $0 > 0 })
    }

    @Test("A range from 0 is linear")
    func linear() throws {
        let range = try range("0%", "10%", "loss")
        #expect(!range.isLogarithmic)
        #expect(range.texts[10] == "5%")
        #expect(range.values.count == 21)
    }

    @Test("Each packet of a queue is there once")
    func packets() throws {
        let range = try range("1 packet", "8 packets", "queue")
        #expect(range.texts == (1...8).map { "\($0) packets" })
        #expect(try self.range("10 ms", "1 s", "down.queue").texts.last == "1 s")
        #expect(try self.range("576", "1500", "mtu").texts.last == "1500")
    }

    @Test("No range has more values than can be searched")
    func most() throws {
        let range = try range("1 bit/s", "1 Tbit/s", "bandwidth", precision: 0.001)
        // At its lower end, neighbours are the same whole number.
        #expect((100...SearchedRange.mostGaps + 1).contains(range.values.count))
    }

    @Test("Every ordered field can be varied in each direction and in both")
    func names() throws {
        let fields = ConditionField.all.filter { $0.scale != nil }.map(\.key)
        #expect(Set(fields).isSuperset(of: ["bandwidth", "delay", "jitter", "loss", "queue"]))
        for field in fields {
            let both = try VariedQuantity(named: field)
            #expect(both.subject == .fields(["down.\(field)", "up.\(field)"]))
            #expect(try VariedQuantity(named: "up.\(field)").subject == .fields(["up.\(field)"]))
        }
        #expect(try VariedQuantity(named: "outage").subject == .outage)
        #expect(try VariedQuantity(named: "scenario:3.at").subject == .event(3))
        #expect(try VariedQuantity(named: "dns.delay").subject == .fields(["dns.delay"]))
    }

    @Test(
        "What cannot be searched says why, and what to write",
        arguments: [
            ("bandwith", "1 Mbit/s", "2 Mbit/s", "did you mean bandwidth?"),
            ("aqm", "1", "2", "its values have no order"),
            ("scenario:x.at", "1 s", "2 s", "scenario:3.at"),
            ("scenario:0.at", "1 s", "2 s", "scenario:3.at"),
            ("down.bandwidth", "10", "2 Mbit/s", "--from: \"10\" has no unit"),
            ("down.bandwidth", "10 Mbit/s", "2", "--to: \"2\" has no unit"),
            ("delay", "1 s", "1000 ms", "are both 1 s"),
            ("queue", "5 packets", "64 KiB", "different kinds of units"),
            ("loss", "1%", "120%", "more than 100%"),
            ("delay", "-1 s", "1 s", "negative"),
        ])
    func problems(name: String, from: String, to: String, message: String) {
        let error = #expect(throws: BisectionError.self) { try range(from, to, name) }
        #expect(error?.status == .usage)
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }
}
