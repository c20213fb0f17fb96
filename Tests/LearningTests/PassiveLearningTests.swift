import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import Learning

@Suite("What is learned from captures", .tags(.unit))
struct PassiveLearningTests {
    @Test
    func `a capture with times only gives bounds that hold`() throws {
        let capture = SimulatedCapture.download(packets: 1800)
        let link = try PassiveLearning.fromCapture(capture.bytes, name: "x.pcap")
        let rate = try #require(link.down["bandwidth"])
        #expect(rate.sureness == .bound)
        #expect(try #require(rate.low) <= 1_000_000)
        // What is lost before the capture leaves gaps.
        #expect(abs(try #require(rate.value) / 1_000_000 - 1) < 0.12)
        #expect(rate.how.contains("likely the link's limit"))
        let delay = try #require(link.down["delay"])
        #expect(try #require(delay.high) >= 100)
        #expect(abs(try #require(delay.value) - 50) < 1)
        let loss = try #require(link.down["loss"])
        #expect(try #require(loss.high) >= 0.1)
        #expect(abs(try #require(loss.value) - 0.1) < 0.02)
        #expect(link.up["loss"]?.sureness == .notVisible)
        #expect(link.method == .passive)
    }

    @Test
    func `what was cut off is read as far as it goes, and said`() throws {
        let bytes = Array(SimulatedCapture.download(packets: 500).bytes.dropLast(17))
        let link = try PassiveLearning.fromCapture(bytes, name: "x.pcap")
        #expect(link.notes.contains { $0.contains("is cut off") })
        #expect(link.down["bandwidth"]?.value != nil)
    }

    @Test
    func `time that goes backwards is counted, and spans nothing`() throws {
        var capture = SimulatedCapture()
        for number in 0..<400 {
            // Each hundred packets the clock is set back by a minute.
            let time = 1000 + Double(number) * 0.012 - Double(number / 100) * 60
            capture.add(
                at: time, fromApp: false, sequence: UInt32(number) * 1460, acknowledgement: 1,
                payload: 1460)
        }
        let link = try PassiveLearning.fromCapture(capture.bytes, name: "x.pcap")
        #expect(link.notes.contains { $0.contains("went backwards 3 times") })
        let rate = try #require(link.down["bandwidth"]?.value)
        #expect(abs(rate / 1_000_000 - 1) < 0.05)
    }

    @Test
    func `packets that are longer than any can be say nothing of the link`() throws {
        var capture = SimulatedCapture()
        capture.add(
            at: 1000, fromApp: false, sequence: 1, acknowledgement: 1, payload: 0,
            claimed: 0x7fff_ffff)
        #expect {
            _ = try PassiveLearning.fromCapture(capture.bytes, name: "x.pcap")
        } throws: { "\($0)".contains("only packets that claim to be longer than any is") }
        for number in 0..<200 {
            capture.add(
                at: 1001 + Double(number) * 0.012, fromApp: false,
                sequence: UInt32(number) * 1460, acknowledgement: 1, payload: 1460,
                claimed: number == 100 ? 0x7fff_ffff : nil)
        }
        let link = try PassiveLearning.fromCapture(capture.bytes, name: "x.pcap")
        #expect(link.notes.contains { $0.hasSuffix("longer than any is were left out: 2.") })
        let rate = try #require(link.down["bandwidth"]?.value)
        #expect(abs(rate / 1_000_000 - 1) < 0.05)
    }

    @Test(arguments: [
        ([], "is empty"), ([1, 2, 3], "has only 3 bytes"),
        (Array("GET / HTTP/1.1\r\n\r\n".utf8), "is neither a pcapng nor a pcap file"),
        (SimulatedCapture().bytes, "has no packets"),
        (Array(SimulatedCapture().bytes.prefix(20)), "pcap file"),
    ])
    func `what is no capture is told as such`(bytes: [UInt8], reason: String) {
        #expect {
            _ = try PassiveLearning.fromCapture(bytes, name: "x.pcap")
        } throws: { error in
            "\(error)".hasPrefix("x.pcap: ") && "\(error)".contains(reason)
        }
    }

    @Test
    func `packets of an unknown link type are told as such`() {
        var capture = SimulatedCapture(linkType: 127)
        capture.add(at: 1, fromApp: true, sequence: 1, acknowledgement: 1, payload: 10)
        #expect {
            _ = try PassiveLearning.fromCapture(capture.bytes, name: "x.pcap")
        } throws: { "\($0)".contains("link type 127") }
    }

    @Test
    func `the profile that comes of it is read again, with its notes`() throws {
        let capture = SimulatedCapture.download(packets: 500)
        let link = try PassiveLearning.fromCapture(capture.bytes, name: "x.pcap")
        let profile = LearnedProfile(link, name: "old", file: "d/old.yaml", date: "2026-11-25")
        #expect(profile.files.map(\.file) == ["d/old.yaml"])
        let text = profile.files[0].text
        #expect(text.contains("down:\n  # at least: the fastest stretch"))
        #expect(text.contains("# jitter: not visible"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }
}
