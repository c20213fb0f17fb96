import LinkModel
import LinkTesting
import LinuxKernel
import Testing

@testable import Middleboxes

@Suite("Addresses of a NAT64 for names", .tags(.unit)) struct SynthesizedNamesTests {
    private static let app = Endpoint(FamilyTests.app, port: 4000)
    private static let nameServer = Endpoint(FamilyTests.nativeServer, port: 53)
    private static let answers = [0xc000_0201, 0xc000_0202].map { IPAddress(ipv4: $0) }

    private static func middle() -> MiddleboxStage {
        MiddleboxStage(Middlebox(family: .nat64), at: TranslationTests.place)
    }

    private static func question(
        _ type: DNSMessage.AddressType, _ name: String = "A.Example"
    ) throws -> [UInt8] {
        try #require(DNSMessage.question(identifier: 77, name: name, type))
    }

    /// A name server's answer to the app, on its way.
    private static func arrive(
        _ answer: [UInt8], _ stage: inout MiddleboxStage, at now: Duration = .zero
    ) throws -> MiddleboxVerdict {
        let packet = IPPacket.datagram(from: nameServer, to: app, payload: answer)
        return stage.verdict(on: try packet.fields, .down, at: now)
    }

    private static func answer(
        to question: [UInt8], code: UInt8 = 0, _ addresses: [IPAddress] = []
    ) throws -> [UInt8] {
        try #require(DNSMessage(question)).answer(
            to: question, code: code, addresses: addresses)
    }

    /// The message in a packet of the middle.
    private static func payload(_ packet: [UInt8]) -> [UInt8] { Array(packet.dropFirst(48)) }

    @Test func `a name without an IPv6 address gets one of the translator's`() throws {
        var stage = Self.middle()
        let six = try Self.question(.aaaa)
        guard
            case .askedAgain(let asked) = try Self.arrive(try Self.answer(to: six), &stage)
        else {
            Issue.record("nobody asks again")
            return
        }
        #expect(try asked.fields.source == Self.app && asked.fields.target == Self.nameServer)
        #expect(SamplePacket.isSound(asked))
        let question = Self.payload(asked)
        let message = try #require(DNSMessage(question))
        #expect(message.isQuestion && message.type == 1 && message.identifier == 77)
        guard
            case .replaced(let packet, true) = try Self.arrive(
                try Self.answer(to: question, Self.answers), &stage)
        else {
            Issue.record("the answer stays")
            return
        }
        #expect(try packet.fields.source == Self.nameServer && packet.fields.target == Self.app)
        #expect(SamplePacket.isSound(packet))
        let given = try #require(DNSMessage(Self.payload(packet)))
        #expect(given.addresses == Self.answers.map(NAT64.address(for:)))
        // Capital letters of the question stay: some clients check them (draft-vixie-dnsext-dns0x20).
        #expect(Self.payload(packet)[13] == UInt8(ascii: "A") && given.identifier == 77)
        // What the app asks itself is as it was.
        #expect(
            try Self.arrive(
                try Self.answer(to: try Self.question(.a), Self.answers), &stage) == .passes)
    }

    @Test func `a name with an IPv6 address, or without any, stays as it is`() throws {
        var stage = Self.middle()
        let six = try Self.question(.aaaa)
        let address = [FamilyTests.nativeServer]
        #expect(try Self.arrive(try Self.answer(to: six, address), &stage) == .passes)
        #expect(try Self.arrive(try Self.answer(to: six, code: 3), &stage) == .passes)
        // IPv4 in another form is no address (RFC 6147, section 5.1.4); nor is a failure.
        let mapped = [IPAddress(ipv6High: 0, low: 0xffff_c000_0201)]
        for answer in [try Self.answer(to: six, mapped), try Self.answer(to: six, code: 2)] {
            guard case .askedAgain(let asked) = try Self.arrive(answer, &stage) else {
                Issue.record("nobody asks again")
                continue
            }
            // There is none of IPv4 either.
            let none = try Self.answer(to: Self.payload(asked))
            guard case .replaced(let packet, false) = try Self.arrive(none, &stage) else {
                Issue.record("it is not replaced")
                continue
            }
            #expect(Self.payload(packet) == answer)
        }
    }

    @Test func `an address of IPv6 counts as none where it leads nowhere`() throws {
        var place = TranslationTests.place
        place.leadsToIPv6 = false
        let six = try Self.question(.aaaa)
        for (address, isAsked) in [(FamilyTests.nativeServer, true), (FamilyTests.app, false)] {
            var stage = MiddleboxStage(Middlebox(family: .nat64), at: place)
            let verdict = try Self.arrive(try Self.answer(to: six, [address]), &stage)
            #expect((verdict == .passes) == !isAsked)
            var stream = NameStream(ignoresIPv6: true)
            let answer = try Self.answer(to: six, [address])
            _ = stream.answer([0, UInt8(answer.count)] + answer, isSynthesizing: true)
            #expect(stream.toServer.isEmpty == !isAsked)
        }
    }

    @Test func `aliases stay, and records beyond the room for them are left out`() throws {
        var stage = Self.middle()
        let six = try Self.question(.aaaa)
        guard
            case .askedAgain(let asked) = try Self.arrive(try Self.answer(to: six), &stage)
        else {
            Issue.record("nobody asks again")
            return
        }
        // The alias b.example, and addresses of that name, all with compressed names.
        var answer = Array(Self.payload(asked).dropLast(11))
        answer[2] |= 0x80
        (answer[7], answer[11]) = (41, 0)
        answer += [0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 9, 0, 4, 1, UInt8(ascii: "b"), 0xc0, 14]
        let alias = answer.count - 4
        for last in 0..<40 {
            answer += [0xc0, UInt8(alias), 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, UInt8(last)]
        }
        guard case .replaced(let packet, true) = try Self.arrive(answer, &stage) else {
            Issue.record("the answer stays")
            return
        }
        let given = Self.payload(packet)
        #expect(given.count <= 512)
        let message = try #require(DNSMessage(given))
        #expect(message.addresses.count > 8 && message.addresses.count == Int(given[7]) - 1)
        #expect(message.addresses[1] == NAT64.address(for: IPAddress(ipv4: 0xc000_0201)))
    }

    @Test func `the name that leads to the prefix has its addresses`() throws {
        var stage = Self.middle()
        for (type, addresses) in [
            (DNSMessage.AddressType.a, NAT64.discoveryAddresses),
            (.aaaa, NAT64.discoveryAddresses.map(NAT64.address(for:))),
        ] {
            let packet = IPPacket.datagram(
                from: Self.app, to: Self.nameServer,
                payload: try Self.question(type, "ipv4only.ARPA"))
            let fields = try packet.fields
            guard case .answered(let answer) = stage.verdict(on: fields, .up, at: .zero) else {
                Issue.record("nobody answers")
                continue
            }
            let bytes = try #require(answer.bytes(to: packet, fields))
            #expect(DNSMessage(Self.payload(bytes))?.addresses == addresses)
            #expect(answer.kind == .synthesized)
        }
    }

    @Test func `a wrong address has one of the translator's too`() throws {
        let wrong = IPAddress(ipv4: 0xcb00_7107)
        let rules = Resolver(
            wrongAnswer: Resolver.WrongAnswer(address: IPv4Address(bits: 0xcb00_7107)))
        var stage = MiddleboxStage(
            Middlebox(dns: rules, family: .nat64), at: TranslationTests.place)
        let packet = IPPacket.datagram(
            from: Self.app, to: Self.nameServer, payload: try Self.question(.aaaa))
        #expect(
            stage.verdict(on: try packet.fields, .up, at: .zero)
                == .answered(.misleading([wrong, NAT64.address(for: wrong)])))
    }

    @Test func `hostile answers are not believed, and end nothing`() throws {
        let six = try Self.question(.aaaa)
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<2000 {
            var stage = Self.middle()
            guard
                case .askedAgain(let asked) = try Self.arrive(
                    try Self.answer(to: six), &stage)
            else { return }
            var answer = try Self.answer(to: Self.payload(asked), Self.answers)
            for _ in 0..<4 {
                let place = Int(generator.next() % UInt64(answer.count))
                answer[place] = UInt8(truncatingIfNeeded: generator.next())
            }
            _ = try Self.arrive(
                Array(answer.prefix(Int(generator.next() % UInt64(answer.count)))), &stage)
            _ = try Self.arrive(answer, &stage)
        }
    }
}
