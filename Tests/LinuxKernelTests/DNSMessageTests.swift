import LinkTesting
import LinuxKernel
import Testing

@Suite("Questions for names and their answers", .tags(.unit))
struct DNSMessageTests {
    @Test func `a question is what name servers expect`() {
        #expect(
            DNSMessage.question(identifier: 0x1234, name: "db.example.", .aaaa)
                == [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2] + "db".utf8 + [7] + "example".utf8
                + [0, 0, 28, 0, 1])
    }

    @Test(arguments: [
        "", ".", "a..b", String(repeating: "a", count: 64) + ".b",
        String(repeating: "abc.", count: 70),
    ])
    func `nobody asks for what is no name`(name: String) {
        #expect(DNSMessage.question(identifier: 1, name: name, .a) == nil)
    }

    private let question: [UInt8] = [1, 0x61, 0, 0, 1, 0, 1]

    private func answer(_ code: UInt8, _ records: [[UInt8]]) -> [UInt8] {
        [0, 7, 0x81, 0x80 | code, 0, 1, 0, UInt8(records.count), 0, 0, 0, 0] + question
            + records.flatMap(\.self)
    }

    @Test func `an answer has addresses, among other records`() {
        let alias: [UInt8] = [0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 9, 0, 3, 1, 0x62, 0]
        let address: [UInt8] = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 1]
        let found = DNSMessage(answer(0, [alias, address]))
        #expect(found?.identifier == 7 && found?.name == "a" && found?.isResponse == true)
        #expect(found?.addresses == [IPAddress(ipv4: 0xc000_0201)])
        #expect(DNSMessage(answer(3, []))?.code == DNSMessage.Code.unknownName)
        #expect(DNSMessage(answer(2, []))?.code == DNSMessage.Code.serverFailure)
    }

    @Test func `what is damaged has no addresses`() {
        let address: [UInt8] = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 1]
        let whole = answer(0, [address])
        for count in 0..<whole.count {
            let found = DNSMessage(Array(whole.prefix(count)))
            #expect(found?.addresses.isEmpty ?? true)
        }
    }

    @Test(arguments: DNSMessage.AddressType.allCases)
    func `an answer of ours is read by the same reader`(type: DNSMessage.AddressType) throws {
        let bytes = try #require(
            DNSMessage.question(identifier: 99, name: "Shop.example", type))
        let message = try #require(DNSMessage(bytes))
        #expect(message.name == "shop.example" && message.isQuestion)
        let addresses = [IPAddress(ipv4: 0xc000_0201), IPAddress(ipv6High: 1 << 61, low: 1)]
        let answer = try #require(DNSMessage(message.answer(to: bytes, addresses: addresses)))
        #expect(answer.isResponse && answer.identifier == 99 && answer.code == 0)
        #expect(answer.name == message.name && answer.type == type.rawValue)
        #expect(answer.addresses == addresses.filter { $0.isIPv6 == (type == .aaaa) })
        let short = try #require(DNSMessage(message.answer(to: bytes, isTruncated: true)))
        #expect(short.isTruncated && short.addresses.isEmpty)
    }

    @Test func `who asks with EDNS is answered with EDNS`() throws {
        let bare = try #require(DNSMessage.question(identifier: 1, name: "a.example", .a))
        var extended = bare + [0, 0, 41, 0x10, 0, 0, 0, 0, 0, 0, 0]
        extended[11] = 1
        for (bytes, records) in [(bare, UInt8(0)), (extended, 1)] {
            let answer = try #require(DNSMessage(bytes)).answer(to: bytes, code: 2)
            #expect(answer[11] == records)
            #expect(answer.count == bare.count + 11 * Int(records))
        }
    }
}
