import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import Explanation

@Suite("Captures that are not as they should be", .tags(.unit))
struct BadCaptureTests {
    private static func sample() throws -> [UInt8] {
        var run = CapturedRun(bandwidth: .megabitsPerSecond(1), delay: .milliseconds(50))
        var connection = ScriptedConnection(port: 4000)
        let opened = connection.open(at: .zero, in: &run)
        let end = connection.request("/", at: opened, bytes: 20_000, in: &run)
        return try run.file(run: .zero..<end)
    }

    private static func explain(_ bytes: [UInt8]) throws(ExplanationError) -> Explanation {
        var explainer = try Explainer(bytes, name: "a.pcapng")
        return try explainer.explain()
    }

    @Test(
        arguments: [
            ([], "a.pcapng: is empty"), ([1, 2, 3], "a.pcapng: has only 3 bytes"),
            ([0xd4, 0xc3, 0xb2, 0xa1] + [UInt8](repeating: 0, count: 16), "cut off in its header"),
            (Array("#!/bin/sh\nexit 0\n".utf8), "is neither a pcapng nor a pcap file"),
            ([0x1f, 0x8b] + Array("\u{8}0123456789".utf8), "is compressed; unpack it first: "),
        ] as [([UInt8], String)])
    func `other files are named`(bytes: [UInt8], problem: String) {
        let error = #expect(throws: ExplanationError.self) { try Self.explain(bytes) }
        #expect(error?.status == .badFile)
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test func `a command without traffic waited for itself`() throws {
        let file = try CapturedRun(delay: .zero).file(run: .zero..<(.seconds(2)))
        let found = try Self.explain(file)
        #expect(found.shares == [.app: .seconds(2)])
        #expect(found.sentence == "Of 2 s: 100% the app itself.")
        #expect(found.notes == ["the command sent and received nothing"])
        #expect(found.removals.isEmpty)
        #expect(throws: ExplanationError.self) {
            try Self.explain(CapturedRun(delay: .zero).file())
        }
    }

    @Test func `a capture that is cut off anywhere is explained until there`() throws {
        let whole = try Self.sample()
        let full = try Self.explain(whole)
        #expect(full.notes.isEmpty)
        for count in stride(from: 0, to: whole.count, by: 97) {
            guard let part = try? Self.explain(Array(whole.prefix(count))) else { continue }
            #expect(part.shares.values.reduce(.zero, +) == part.duration)
            #expect(!part.hasTimesOfCommand || part.duration == full.duration)
        }
        let most = try Self.explain(Array(whole.dropLast(2000)))
        #expect(most.notes.contains { $0.contains("is cut off at byte") })
    }

    @Test func `flipped bytes neither crash nor change that shares add up`() throws {
        let whole = try Self.sample()
        for seed in 0..<400 {
            var bytes = whole
            bytes[(seed &* 7919) % bytes.count] = UInt8(truncatingIfNeeded: seed &* 31)
            guard let found = try? Self.explain(bytes) else { continue }
            #expect(found.shares.values.reduce(.zero, +) == found.duration)
        }
    }

    @Test func `a capture without fates says what it can say`() throws {
        var run = CapturedRun(delay: .milliseconds(50))
        var connection = ScriptedConnection(port: 4000)
        let opened = connection.open(at: .zero, in: &run)
        let end = connection.request("/", at: opened, bytes: 100, in: &run)
        // The comments become those of somebody else.
        let file = try run.file(run: .zero..<end).replacing(
            Array("delivered".utf8), with: Array("DELIVERED".utf8))
        let found = try Self.explain(file)
        #expect(found.shares.values.reduce(.zero, +) == found.duration)
        #expect(found.notes.contains { $0.contains("does not say what the link did") })
        #expect(found.shares[.propagation] == nil)
    }

    @Test func `a pcap file of tcpdump is explained as far as it goes`() throws {
        let file = try Self.sample()
        let classic = try #require(ClassicFile.converted(file))
        let found = try Self.explain(classic)
        #expect(found.connections.count == 1)
        #expect(found.shares.values.reduce(.zero, +) == found.duration)
        #expect(found.notes.contains { $0.contains("does not say what the link did") })
        // 127 is of radio frames.
        let radio = classic.prefix(20) + [127] + classic.dropFirst(21)
        let error = #expect(throws: ExplanationError.self) { try Self.explain(Array(radio)) }
        let message = error?.description ?? ""
        #expect(message.contains("packets of link type 127, which is not read"), "\(message)")
        for (number, name) in [(1, "Ethernet"), (101, "IP packets"), (113, "cooked")] {
            #expect(message.contains("\(number)") && message.contains(name), "\(message)")
        }
        for type in 0...UInt16(300) where CaptureInterface(linkTypeNumber: type).linkType != nil {
            #expect(CaptureInterface.knownLinkTypes.contains("\(type)"), "\(type)")
        }
    }

    /// Of the loopback, or of an address of the host's own.
    @Test(arguments: [[127, 0, 0, 1], [192, 0, 2, 1]] as [[UInt8]])
    func `both ends on one host are told apart`(address: [UInt8]) throws {
        let classic = try #require(ClassicFile.converted(Self.sample()))
        let within = classic.replacing([192, 0, 2, 1], with: address)
            .replacing([192, 0, 2, 2], with: address)
        let (expected, found) = try (Self.explain(classic), Self.explain(within))
        #expect(found.connections.count == 1 && found.requests.count == expected.requests.count)
        #expect(found.shares == expected.shares)
    }

    @Test func `a huge block is refused without being read`() throws {
        var bytes = try Self.sample()
        let length = bytes.count
        bytes += [6, 0, 0, 0, 0xf0, 0xff, 0xff, 0xff] + [UInt8](repeating: 0, count: 64)
        let found = try Self.explain(bytes)
        #expect(found.notes.contains { $0.contains("at byte \(length), which cannot be") })
    }

    @Test func `a packet that was never as long as it says is not believed`() throws {
        // The original length comes after the captured one.
        var pcapng = try Self.sample()
        let packet: [UInt8] = [6, 0, 0, 0]
        let block = try #require(
            stride(from: 0, to: pcapng.count - 28, by: 4).first {
                Array(pcapng[$0..<$0 + 4]) == packet
            })
        var classic = try #require(ClassicFile.converted(pcapng))
        pcapng.replaceSubrange(block + 24..<block + 28, with: [0, 0, 0, 0x7f])
        classic.replaceSubrange(24 + 12..<24 + 16, with: [0, 0, 0, 0x7f])
        for file in [pcapng, classic] {
            let connections = try Self.explain(file).connections
            #expect(connections.allSatisfy { $0.upBytes + $0.downBytes < 1_000_000 })
        }
    }
}
