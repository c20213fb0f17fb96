import LinkModel
import LinkTesting
import LinkUnits
import LinuxKernel
import Testing

@testable import Middleboxes

@Suite("A name server that fails, in the middle", .tags(.unit)) struct ResolverTests {
    private static func stage(_ resolver: Resolver, seed: UInt64 = 1) -> MiddleboxStage {
        MiddleboxStage(Middlebox(dns: resolver), seed: seed)
    }

    private static func question(
        _ name: String, _ type: DNSMessage.AddressType = .a, port: UInt16 = 53
    ) throws -> [UInt8] {
        let message = try #require(DNSMessage.question(identifier: 7, name: name, type))
        return SamplePacket.udp(from: .app(4000), to: .server(port), message)
    }

    private static func answer(
        _ stage: inout MiddleboxStage, _ packet: [UInt8]
    ) throws -> DNSMessage? {
        let fields = try packet.fields
        guard case .answered(let answer) = stage.verdict(on: fields, .up, at: .zero) else {
            return nil
        }
        let bytes = try #require(answer.bytes(to: packet, fields))
        #expect(SamplePacket.isSound(bytes))
        #expect(try bytes.fields.source == fields.target && bytes.fields.target == fields.source)
        let message: DNSMessage = try #require(DNSMessage(Array(bytes[28...])))
        return message
    }

    @Test func `only the names meant have its answers`() throws {
        var stage = Self.stage(
            Resolver(
                nxdomain: ["*.ads.example"].compactMap(NamePattern.init(parsing:)),
                wrongAnswer: Resolver.WrongAnswer(
                    address: IPv4Address(bits: 0xcb00_7107),
                    names: ["shop.example"].compactMap(NamePattern.init(parsing:)))))
        let missing = try Self.answer(&stage, Self.question("A.Ads.example", .aaaa))
        #expect(missing?.code == DNSMessage.Code.unknownName && missing?.identifier == 7)
        let wrong = try Self.answer(&stage, Self.question("shop.example"))
        #expect(wrong?.addresses == [IPAddress(ipv4: 0xcb00_7107)] && wrong?.code == 0)
        let other = try Self.answer(&stage, Self.question("shop.example", .aaaa))
        #expect(other?.addresses == [] && other?.code == 0)
        #expect(try Self.answer(&stage, Self.question("ads.example")) == nil)
        #expect(try Self.answer(&stage, Self.question("a.ads.example", port: 5353)) == nil)
        // By TCP, the network's own answers.
        let segment = SamplePacket.tcp(from: .app(4000), to: .server(53))
        #expect(stage.verdict(on: try segment.fields, .up, at: .zero) == .passes)
    }

    @Test func `a cut answer says so`() throws {
        var stage = Self.stage(Resolver(truncate: true))
        #expect(try Self.answer(&stage, Self.question("a.example"))?.isTruncated == true)
    }

    @Test func `the seed says which questions fail, also when the rules change`() throws {
        func failures(seed: UInt64, changesAt change: Int?) throws -> [Bool] {
            let rules = Resolver(servfail: .percent(30))
            var stage = Self.stage(rules, seed: seed)
            return try (0..<1000).map { index in
                if index == change { stage.change(to: Middlebox(dns: rules), at: .zero) }
                let answer = try Self.answer(&stage, Self.question("a.example"))
                if let answer { #expect(answer.code == DNSMessage.Code.serverFailure) }
                return answer != nil
            }
        }
        let first = try failures(seed: 1, changesAt: nil)
        #expect(try first == failures(seed: 1, changesAt: 500))
        #expect(try first != failures(seed: 2, changesAt: nil))
        // Six standard deviations of a binomial distribution.
        #expect((213...387).contains(first.count { $0 }))
    }

    @Test func `one that is down answers neither UDP nor TCP, and only names are meant`() throws {
        var stage = Self.stage(.down)
        let packets = [
            try Self.question("a.example"), SamplePacket.tcp(from: .app(1), to: .server(53)),
            SamplePacket.udp(from: .app(1), to: .server(53)),
            SamplePacket.udp(from: .app(53), to: .server(54)),
        ]
        let verdicts = try packets.map { stage.verdict(on: try $0.fields, .up, at: .zero) }
        let lost = MiddleboxVerdict.dropped(.unanswered, nil)
        #expect(verdicts == [lost, lost, lost, .passes])
        let late = SamplePacket.udp(from: .server(53), to: .app(4000))
        #expect(stage.verdict(on: try late.fields, .down, at: .zero) == lost)
    }

    @Test func `what it only makes late concerns the link alone`() throws {
        #expect(Self.stage(Resolver(delay: .seconds(1))).isIdle)
        #expect(!Self.stage(Resolver(truncate: true, delay: .seconds(1))).isIdle)
        let conditions = LinkConditions(middle: Middlebox(dns: Resolver(delay: .seconds(1))))
        #expect(conditions.questionDelay == .seconds(1))
        #expect(LinkConditions(middle: Middlebox(mss: 1000)).questionDelay == nil)
    }

    @Test func `a firewall comes first, and a damaged message passes`() throws {
        var stage = MiddleboxStage(
            Middlebox(
                firewall: Firewall(block: [TrafficKind(.udp, firstPort: 53)]),
                dns: Resolver(truncate: true)))
        let packet = try Self.question("a.example")
        #expect(stage.verdict(on: try packet.fields, .up, at: .zero) == .dropped(.blocked, nil))
        var open = Self.stage(Resolver(truncate: true))
        for count in 28..<packet.count {
            let part = Array(packet[..<count])
            #expect(open.verdict(on: try part.fields, .up, at: .zero) == .passes, "\(count)")
        }
    }
}
