import LinkTesting
import LinuxKernel
import ProxyProtocols
import Testing

@Suite(.tags(.unit))
struct `What a name server answers` {
    private let number: UInt16 = 0x1234
    private let four = IPAddress(ipv4: 0xc000_0201)
    private let six = IPAddress(ipv6High: 0xfd00 << 48, low: 1)

    private func asked() throws -> NameQuestion {
        try #require(NameQuestion("Shop.example.", identifier: number))
    }

    private func answer(
        _ kind: NameQuestion.Kind, _ addresses: [IPAddress] = [], code: UInt8 = 0,
        isTruncated: Bool = false, name: String = "shop.example", identifier: UInt16? = nil
    ) throws -> [UInt8] {
        let question = try #require(
            DNSMessage.question(identifier: identifier ?? number, name: name, kind))
        return try #require(DNSMessage(question)).answer(
            to: question, code: code, isTruncated: isTruncated, addresses: addresses)
    }

    @Test func `is complete with both kinds of addresses, of which IPv4 comes first`() throws {
        var question = try asked()
        #expect(question.datagrams.compactMap { DNSMessage($0)?.type } == [1, 28])
        #expect(try question.take(datagram: answer(.aaaa, [six])) == nil)
        #expect(question.awaitsDatagrams && !question.isOver)
        #expect(try question.take(datagram: answer(.a, [four])) == nil)
        #expect(question.isOver && question.hasAnswer)
        #expect(question.outcome == .addresses([four, six]))
    }

    @Test func `is asked for again by TCP if it was truncated`() throws {
        var question = try asked()
        #expect(try question.take(datagram: answer(.a, isTruncated: true)) == .a)
        // The same datagram again leads to no other connection.
        #expect(try question.take(datagram: answer(.a, isTruncated: true)) == nil)
        #expect(try question.take(datagram: answer(.aaaa)) == nil)
        #expect(!question.awaitsDatagrams && !question.isOver)
        #expect(question.outcome == .failed([.noStream]))
        let stream = question.stream(for: .a)
        #expect(stream.prefix(2) == [0, UInt8(stream.count - 2)])
        #expect(stream.dropFirst(2) == question.datagrams[0][...])
        try question.take(streamed: answer(.a, [four]), to: .a)
        #expect(question.isOver && question.outcome == .addresses([four]))
    }

    @Test func `counts as far as it goes if nothing comes by TCP`() throws {
        var question = try asked()
        #expect(try question.take(datagram: answer(.a, [four], isTruncated: true)) == .a)
        #expect(try question.take(datagram: answer(.aaaa)) == nil)
        question.take(streamed: nil, to: .a)
        #expect(question.isOver && question.outcome == .addresses([four]))
    }

    @Test func `has to answer the question, also by TCP`() throws {
        let strangers = [
            [], [0, 1, 2], try asked().datagrams[0], try answer(.a, [four], identifier: 1),
            try answer(.a, [four], name: "evil.example"),
        ]
        for stranger in strangers {
            var question = try asked()
            #expect(question.take(datagram: stranger) == nil && question.awaitsDatagrams)
            #expect(question.outcome == .failed([.silence]))
            question.refuseDatagrams()
            #expect(question.isOver && question.outcome == .failed([.silence]))
            question = try asked()
            #expect(try question.take(datagram: answer(.a, isTruncated: true)) == .a)
            #expect(try question.take(datagram: answer(.aaaa)) == nil)
            question.take(streamed: stranger, to: .a)
            #expect(question.isOver && question.outcome == .failed([.noStream]))
        }
    }

    @Test func `may be that it cannot, or that there is no such name`() throws {
        var question = try asked()
        for kind in NameQuestion.Kind.allCases {
            #expect(try question.take(datagram: answer(kind, code: 2)) == nil)
        }
        #expect(question.isOver && !question.hasAnswer)
        #expect(question.outcome == .failed([.code(2)]))
        question = try asked()
        for kind in NameQuestion.Kind.allCases {
            #expect(try question.take(datagram: answer(kind, code: 3)) == nil)
        }
        #expect(question.isOver && question.hasAnswer && question.outcome == .unknown)
        // Half an answer is one, in either order.
        question = try asked()
        #expect(try question.take(datagram: answer(.aaaa, code: 2)) == nil)
        #expect(try question.take(datagram: answer(.a, [four])) == nil)
        #expect(question.isOver && question.outcome == .addresses([four]))
    }

    @Test func `is told if there are no addresses`() {
        func reason(
            _ problems: NameProblem..., hasAnswer: Bool = false, servers: Int = 1, isSilent: Bool
        ) -> String {
            let failure = NameFailure(problems, hasAnswer: hasAnswer, servers: servers)
            #expect(failure.isSilent == isSilent)
            return failure.reason
        }
        #expect(reason(hasAnswer: true, isSilent: false) == "there is no such host")
        #expect(reason(.silence, hasAnswer: true, isSilent: false) == "there is no such host")
        #expect(reason(.silence, .silence, isSilent: true) == "no name server has answered")
        let one = "the name server does not resolve it: "
        #expect(reason(.code(2), .code(2), isSilent: false) == one + "SERVFAIL")
        #expect(reason(.code(9), isSilent: false) == one + "code 9")
        #expect(reason(.noStream, hasAnswer: true, isSilent: true) == one + "no answer by TCP")
        #expect(
            reason(.code(5), .silence, .code(5), servers: 2, isSilent: false)
                == "the name servers do not resolve it: REFUSED, no answer")
    }

    @Test(arguments: ["a..b", "", String(repeating: "a", count: 64)])
    func `cannot be asked for everything`(name: String) {
        #expect(NameQuestion(name, identifier: 1) == nil)
    }

    @Test func `comes in pieces by TCP`() throws {
        let whole = try DNSMessage.framed(answer(.a, [four])) + DNSMessage.framed([])
        var stream: [UInt8] = []
        var messages: [[UInt8]] = []
        for byte in whole {
            stream.append(byte)
            messages += DNSMessage.takeMessages(from: &stream)
        }
        #expect(try messages == [answer(.a, [four]), []])
        #expect(stream.isEmpty)
    }
}
