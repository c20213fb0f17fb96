import LinkTesting
import LinuxKernel
import Testing

@testable import Learning

@Suite("Datagrams of a diagnosis", .tags(.unit))
struct DiagnosisWireTests {
    private static let token = "0123456789abcdef0123456789abcdef"

    @Test(arguments: [DiagnosisDatagram.Shape.plain, .long, .quic])
    func `a question comes back, and is never shorter than its answer`(
        shape: DiagnosisDatagram.Shape
    ) throws {
        let bytes = DiagnosisDatagram.question(255, token: Self.token, shape)
        #expect(DiagnosisDatagram(bytes, token: Self.token) == .question(255))
        #expect(bytes.count == (shape == .plain ? 160 : 1200))
        for place in ["255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"] {
            let seen = Endpoint(try #require(IPAddress(place)), port: 65_535)
            let answer = DiagnosisDatagram.answer(255, token: Self.token, seen: seen)
            #expect(answer.count <= bytes.count)
            #expect(DiagnosisDatagram(answer, token: Self.token) == .answer(255, seen))
        }
    }

    @Test func `a request is no shorter than both its answers, and names a door`() throws {
        let request = DiagnosisDatagram.question(255, token: Self.token, .plain, knockBy: 7)
        #expect(DiagnosisDatagram(request, token: Self.token) == .request(255, door: 7))
        let address = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
        let seen = Endpoint(try #require(IPAddress(address)), port: 65_535)
        let answer = DiagnosisDatagram.answer(255, token: Self.token, seen: seen)
        let knock = DiagnosisDatagram.knock(255, token: Self.token)
        #expect(answer.count + knock.count <= request.count)
        #expect(DiagnosisDatagram(Array(request.prefix(150)), token: Self.token) == nil)
        let farewell = DiagnosisDatagram.farewell(token: Self.token)
        #expect(DiagnosisDatagram(farewell, token: Self.token) == .farewell)
        #expect(DiagnosisDatagram(farewell, token: Self.token + "0") == nil)
    }

    @Test func `a firewall takes only one of them for QUIC`() {
        func isQUIC(_ shape: DiagnosisDatagram.Shape) -> Bool {
            let bytes = DiagnosisDatagram.question(1, token: Self.token, shape)
            return bytes.count >= 1200 && bytes[0] & 0xc0 == 0xc0
                && bytes.span.long(at: 1) == 1
        }
        #expect(isQUIC(.quic) && !isQUIC(.long) && !isQUIC(.plain))
    }

    @Test func `what is not of this session is not understood`() {
        let question = DiagnosisDatagram.question(7, token: Self.token, .plain)
        #expect(DiagnosisDatagram(question, token: Self.token + "0") == nil)
        // Shorter than an answer.
        #expect(DiagnosisDatagram(Array(question.prefix(100)), token: Self.token) == nil)
        for text in [
            "", "linkcond-doctor", "linkcond-seen \(Self.token) 1 zz",
            "linkcond-knock \(Self.token) 256", "linkcond-knock \(Self.token) -1",
            "linkcond-seen \(Self.token) 1 0011223344é",
        ] {
            #expect(DiagnosisDatagram(Array(text.utf8), token: Self.token) == nil, "\(text)")
        }
    }

    @Test func `a responder does not make clients send to whomever it likes`() {
        func isSound(_ doors: (String, UInt16)..., token: String = DiagnosisWireTests.token) -> Bool
        {
            DiagnosisProtocol.Invitation(
                token: token, doors: doors.map { .init(address: $0, port: $1) }, streamPorts: []
            ).isSound
        }
        #expect(isSound(("192.0.2.1", 46464), ("192.0.2.1", 443), ("192.0.2.2", 46464)))
        #expect(isSound(("127.0.0.1", 46464)))
        #expect(isSound(("2001:db8::1", 46464), ("2001:db8::2", 46464)))
        for other in [
            ("192.0.2.2", 53), ("127.0.0.1", 46464), ("255.255.255.255", 46464),
            ("224.0.0.1", 46464), ("0.0.0.0", 46464), ("ff02::1", 46464), ("::", 46464),
            ("::1", 46464), ("host.example", 46464), ("192.0.2.1", 0),
        ] as [(String, UInt16)] {
            #expect(!isSound(("192.0.2.1", 46464), other), "\(other)")
        }
        #expect(!isSound(("192.0.2.1", 46464), token: "a b c d e f g h i j k"))
        #expect(!isSound(("192.0.2.1", 46464), token: ""))
    }

    @Test func `the segment size of a SYN is found`() {
        let ipv4: [UInt8] = [0x45] + [UInt8](repeating: 0, count: 19)
        let ipv6: [UInt8] =
            [0x60] + [UInt8](repeating: 0, count: 5) + [6] + [UInt8](repeating: 0, count: 33)
        func tcp(_ options: [UInt8]) -> [UInt8] {
            [UInt8](repeating: 0, count: 12) + [UInt8((20 + options.count) / 4) << 4]
                + [UInt8](repeating: 0, count: 7) + options
        }
        let size: [UInt8] = [2, 4, 5, 0xb4]
        for header in [ipv4, ipv6] {
            #expect(OpeningPacket.segmentSize(header + tcp(size)) == 1460)
            #expect(OpeningPacket.segmentSize(header + tcp([1, 3, 3, 7] + size)) == 1460)
            #expect(OpeningPacket.segmentSize(header + tcp([])) == nil)
            #expect(OpeningPacket.segmentSize(header + tcp([0, 0, 0, 0] + size)) == nil)
            #expect(OpeningPacket.segmentSize(header + tcp([8, 0, 0, 0])) == nil)
            let whole = header + tcp(size)
            for count in 0..<whole.count {
                #expect(OpeningPacket.segmentSize(Array(whole.prefix(count))) == nil)
            }
        }
    }
}
