import LinkModel
import LinkTesting
import LinkUnits
import LinuxKernel
import Testing

@testable import Middleboxes

@Suite("Questions for names by TCP", .tags(.unit)) struct NameStreamTests {
    private static let addresses = [0xc000_0201, 0xc000_0202].map { IPAddress(ipv4: $0) }

    private static func question(
        _ name: String, _ type: DNSMessage.AddressType = .aaaa, identifier: UInt16 = 7
    ) throws -> [UInt8] {
        try #require(DNSMessage.question(identifier: identifier, name: name, type))
    }

    private static func answer(
        to question: [UInt8], code: UInt8 = 0, _ addresses: [IPAddress] = []
    ) throws -> [UInt8] {
        try #require(DNSMessage(question)).answer(to: question, code: code, addresses: addresses)
    }

    /// With its length.
    private static func framed(_ message: [UInt8]) -> [UInt8] {
        [UInt8(message.count >> 8), UInt8(message.count & 0xff)] + message
    }

    private static func unframed(_ bytes: [UInt8]) throws -> [UInt8] {
        let message = Array(bytes.dropFirst(2))
        #expect(bytes == framed(message))
        return message
    }

    @Test(arguments: [1, 2, 3, 1000])
    func `a name gets addresses, however the messages are cut`(size: Int) throws {
        var stream = NameStream()
        func portions(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
            stride(from: 0, to: bytes.count, by: size).map { bytes[$0...].prefix(size) }
        }
        let (four, six) = (try Self.question("four.example"), try Self.question("six.example"))
        for part in portions(Self.framed(four) + Self.framed(six)) { stream.ask(part) { _ in nil } }
        #expect(stream.toServer == Self.framed(four) + Self.framed(six))
        #expect(stream.isWaiting)
        stream.toServer = []
        let native = try Self.answer(to: six, [FamilyTests.nativeServer])
        for part in portions(Self.framed(try Self.answer(to: four)) + Self.framed(native)) {
            let count = stream.answer(part, isSynthesizing: true)
            #expect(count == 0)
        }
        // The other answer does not wait.
        #expect(stream.toApp == Self.framed(native))
        stream.toApp = []
        let asked = try Self.unframed(stream.toServer)
        #expect(DNSMessage(asked)?.type == 1 && DNSMessage(asked)?.isQuestion == true)
        // A server would answer the app's later questions as if they had the record for more room.
        #expect(asked[10] == 0 && asked[11] == 0)
        let later = portions(Self.framed(try Self.answer(to: asked, Self.addresses)))
        let count = later.map { stream.answer($0, isSynthesizing: true) }.reduce(0, +)
        #expect(count == 1)
        let given = try #require(DNSMessage(try Self.unframed(stream.toApp)))
        #expect(given.addresses == Self.addresses.map(NAT64.address(for:)))
        #expect(given.identifier == 7 && given.name == "four.example" && !stream.isWaiting)
    }

    @Test func `there is more room than in a datagram`() throws {
        var stream = NameStream()
        let question = try Self.question("many.example")
        stream.ask(Self.framed(question)) { _ in nil }
        stream.toServer = []
        _ = stream.answer(Self.framed(try Self.answer(to: question)), isSynthesizing: true)
        let asked = try Self.unframed(stream.toServer)
        var answer = asked
        (answer[2], answer[7]) = (0x81, 200)
        for last in UInt8(0)..<200 {
            answer += [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, last]
        }
        let count = stream.answer(Self.framed(answer), isSynthesizing: true)
        #expect(count == 1)
        let given = try #require(DNSMessage(try Self.unframed(stream.toApp)))
        #expect(given.addresses.count == 200 && !given.isTruncated)
    }

    @Test func `without a NAT64 answers are as they were, and the middle says what it has to say`()
        throws
    {
        var stream = NameStream()
        let (other, missing) = (try Self.question("a.example"), try Self.question("b.example"))
        stream.ask(Self.framed(other) + Self.framed(missing)) {
            $0 == "b.example" ? .unknownName : nil
        }
        #expect(stream.toServer == Self.framed(other))
        #expect(DNSMessage(try Self.unframed(stream.toApp))?.code == DNSMessage.Code.unknownName)
        stream.toApp = []
        let none = Self.framed(try Self.answer(to: other))
        let count = stream.answer(none, isSynthesizing: false)
        #expect(count == 0 && stream.toApp == none && !stream.isWaiting)
        // Whatever is no message passes in its frame.
        stream.ask([0, 3, 1, 2, 3, 0, 0]) { _ in .failure }
        #expect(stream.toServer == Self.framed(other) + [0, 3, 1, 2, 3, 0, 0])
    }

    @Test func `a server that ends the connection after each answer is asked again`() throws {
        var stream = NameStream()
        let question = try Self.question("four.example")
        stream.ask(Self.framed(question)) { _ in nil }
        let answer = Self.framed(try Self.answer(to: question))
        _ = stream.answer(answer + [0, 9, 1], isSynthesizing: true)
        stream.toServer = []
        let asksAgain = stream.askAgain()
        #expect(asksAgain)
        let asked = try Self.unframed(stream.toServer)
        let last = try Self.answer(to: asked, Self.addresses)
        let count = stream.answer(Self.framed(last), isSynthesizing: true)
        let asksOnceMore = stream.askAgain()
        #expect(count == 1 && !asksOnceMore)
    }

    // MARK: The connections

    private static let place = MiddleboxPlace(
        inside: SamplePacket.app, outside: TranslationTests.outside,
        portal: [IPAddress(ipv4: 0xc612_0009), IPAddress(ipv6High: 0xfd6c_696e_6b63_0000, low: 9)])
    private static let nameServer6 = Endpoint(FamilyTests.nativeServer, port: 53)
    private static let app6 = Endpoint(FamilyTests.app, port: 4000)
    private static let failing = Resolver(servfail: .one)

    @Test(arguments: [
        Middlebox(dns: failing),
        Middlebox(nat: [AddressTranslation(kind: .symmetric)], dns: failing),
        Middlebox(
            nat: [.init(kind: .fullCone), .init(kind: .portRestricted)], mss: 1200, dns: failing),
        Middlebox(
            firewall: Firewall(allow: [TrafficKind(.tcp, firstPort: 443)]), dns: failing),
    ])
    func `they lead to the middle's own server and back, and it knows who was asked`(
        middlebox: Middlebox
    ) throws {
        var middle = TranslationTests.Middle()
        middle.stage = MiddleboxStage(middlebox, at: Self.place)
        let (app, server) = (Endpoint.app(4000), Endpoint.server(53))
        let own = Endpoint(Self.place.portal[0], port: MiddleboxPlace.namePort)
        for other in [server, Endpoint(SamplePacket.otherServer, port: 53)] {
            let opening = SamplePacket.tcp(from: app, to: other)
            let sent = try #require(try middle.pass(opening)).fields
            #expect(sent.target == own)
            #expect(middle.stage.nameServer(askedBy: sent.source) == other)
            let answer = SamplePacket.tcp(from: own, to: sent.source, flags: TCPFlag.opening)
            let got = try #require(try middle.pass(answer, .down))
            #expect(try got.fields.source == other && got.fields.target == app)
            #expect(SamplePacket.isSound(got))
        }
        #expect(middle.stage.nameServer(askedBy: .server(9)) == nil)
        // They go on without rules, and others pass.
        middle.stage.change(to: nil, at: .zero)
        let segment = SamplePacket.tcp(from: app, to: server, flags: TCPFlag.ack, [1])
        if middlebox.nat.isEmpty {
            #expect(try middle.pass(segment)?.fields.target == own && !middle.stage.isIdle)
        }
        let new = SamplePacket.tcp(from: .app(4001), to: server)
        #expect(try middle.pass(new) == new)
    }

    @Test func `with a NAT64 too, also those to name servers of IPv4`() throws {
        var middle = TranslationTests.Middle()
        middle.stage = MiddleboxStage(Middlebox(family: .nat64), at: Self.place)
        let own = Endpoint(Self.place.portal[1], port: MiddleboxPlace.namePort)
        let four = Endpoint(NAT64.address(for: SamplePacket.server), port: 53)
        for server in [Self.nameServer6, four] {
            let opening = SamplePacket.tcp(from: Self.app6, to: server)
            let sent = try #require(try middle.pass(opening)).fields
            // The second of the same port has another one there.
            #expect(sent.target == own && (sent.source == Self.app6) == (server != four))
            #expect(middle.stage.nameServer(askedBy: sent.source) == server)
            let back = try #require(
                try middle.pass(SamplePacket.tcp(from: own, to: sent.source), .down))
            #expect(try back.fields.source == server && back.fields.target == Self.app6)
        }
        // Not every server at this port is the middle's own.
        let stranger = SamplePacket.tcp(
            from: Endpoint(FamilyTests.nativeServer, port: MiddleboxPlace.namePort), to: Self.app6)
        #expect(try middle.pass(stranger, .down) == stranger)
    }

    @Test func `the middle says by TCP what it says by UDP`() throws {
        func answer(_ middlebox: Middlebox, _ name: String) -> ResolverAnswer? {
            var stage = MiddleboxStage(middlebox, at: Self.place)
            return stage.answer(toQuestionFor: name, at: .zero)
        }
        let wrong = IPAddress(ipv4: 0xcb00_7107)
        let lying = Resolver(wrongAnswer: .init(address: IPv4Address(bits: 0xcb00_7107)))
        #expect(answer(Middlebox(dns: Self.failing), "a") == .failure)
        #expect(answer(Middlebox(dns: Resolver(nxdomain: [.all])), "a") == .unknownName)
        #expect(answer(Middlebox(dns: lying), "a") == .wrong(wrong))
        #expect(
            answer(Middlebox(dns: lying, family: .nat64), "a")
                == .misleading([wrong, NAT64.address(for: wrong)]))
        #expect(answer(Middlebox(dns: Resolver(truncate: true)), "a") == nil)
        #expect(answer(Middlebox(family: .nat64), "a") == nil)
        #expect(answer(Middlebox(family: .nat64), "ipv4only.arpa")?.kind == .synthesized)
        #expect(answer(Middlebox(captivePortal: CaptivePortal()), "a") == nil)
        // A cut answer by UDP, or a late one, is all that these do.
        for rules in [Resolver(truncate: true), Resolver(delay: .seconds(1))] {
            var middle = TranslationTests.Middle()
            middle.stage = MiddleboxStage(Middlebox(dns: rules), at: Self.place)
            let opening = SamplePacket.tcp(from: .app(4000), to: .server(53))
            #expect(try middle.pass(opening) == opening)
        }
    }

    @Test func `whatever both sides say, it goes on`() throws {
        var generator = SeededGenerator(seed: 53)
        func random(_ limit: Int) -> [UInt8] {
            (0..<Int(generator.next() % UInt64(limit))).map { _ in
                UInt8(truncatingIfNeeded: generator.next())
            }
        }
        let question = try Self.question("four.example")
        for _ in 0..<500 {
            var stream = NameStream()
            for _ in 0..<20 {
                stream.ask(random(20)) { _ in .failure }
                stream.ask(Self.framed(question)) { _ in nil }
                var answer = try Self.answer(to: question)
                answer[Int(generator.next() % UInt64(answer.count))] = random(2).first ?? 0
                _ = stream.answer(Self.framed(answer) + random(20), isSynthesizing: true)
                _ = stream.askAgain()
            }
        }
    }
}
