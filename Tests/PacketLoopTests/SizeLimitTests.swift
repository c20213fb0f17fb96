import LinkModel
import LinkTesting
import LinkUnits
import LinuxKernel
import Testing

@testable import PacketLoop

@Suite("Packets larger than the MTU", .tags(.unit)) struct SizeLimitTests {
    private static let load = [UInt8](repeating: 7, count: 1400)
    private static let noFragments: UInt16 = 0x4000

    private static func ipv4(
        protocol number: UInt8 = 17, _ transport: [UInt8] = SampleFrame.udp(target: 9, load),
        fragment: UInt16 = noFragments
    ) -> SampleFrame {
        SampleFrame.ipv4(protocol: number, transport, fragment: fragment)
    }

    private static func ipv6(next: UInt8 = 17, _ transport: [UInt8]? = nil) -> SampleFrame {
        SampleFrame.ipv6(next: next, transport ?? SampleFrame.udp(target: 9, load))
    }

    private static func fate(
        _ frame: SampleFrame, mtu: Int = 1280, _ icmp: LinkMTU.Answers = .answered
    ) -> OversizedPacket {
        let packet = Array(frame.bytes[frame.headers.network...])
        return OversizedPacket(packet, frame.headers, LinkMTU(bytes: mtu, icmp: icmp))
    }

    private static func changed(
        _ frame: SampleFrame, _ bytes: [UInt8], at index: Int
    ) -> SampleFrame {
        var frame = frame
        frame.bytes.replaceSubrange(index..<index + bytes.count, with: bytes)
        return frame
    }

    @Test func `the sender of an IPv4 packet that may not be cut learns the MTU`() throws {
        let frame = Self.ipv4()
        guard case .dropped(let answer?) = Self.fate(frame) else {
            Issue.record("no answer")
            return
        }
        // From whom it was for to whom it came from, by ICMP.
        #expect(answer.count == 576 && answer[9] == 1)
        #expect(Array(answer[12..<20]) == SampleFrame.targetV4 + SampleFrame.sourceV4)
        #expect(onesSum(answer[..<20]) == 0xffff && onesSum(answer[20...]) == 0xffff)
        #expect(Array(answer[20..<22]) == [3, 4] && Array(answer[24..<28]) == [0, 0, 5, 0])
        #expect(Array(answer[28...]) == Array(frame.bytes[14..<14 + 548]))
    }

    @Test func `the sender of an IPv6 packet learns the MTU`() throws {
        let frame = Self.ipv6()
        guard case .dropped(let answer?) = Self.fate(frame) else {
            Issue.record("no answer")
            return
        }
        let addresses = SampleFrame.targetV6 + SampleFrame.sourceV6
        #expect(answer.count == 1280 && answer[6] == 58)
        #expect(Array(answer[8..<40]) == addresses)
        let pseudoHeader = pseudoHeaderSum(addresses: addresses, protocol: 58, length: 1240)
        #expect(onesSum(big(pseudoHeader) + answer[40...]) == 0xffff)
        #expect(Array(answer[40..<42]) == [2, 0] && Array(answer[44..<48]) == [0, 0, 5, 0])
        #expect(Array(answer[48...]) == Array(frame.bytes[14..<14 + 1232]))
    }

    @Test func `what may be cut is cut, and silence does not matter to it`() {
        for icmp in LinkMTU.Answers.allCases {
            guard case .cut(let parts) = Self.fate(Self.ipv4(fragment: 0), icmp) else {
                Issue.record("not cut")
                return
            }
            #expect(parts.map(\.count) == [1276, 172])
            #expect(parts.allSatisfy { onesSum($0[..<20]) == 0xffff })
        }
    }

    @Test func `a silent link answers nobody`() {
        #expect(Self.fate(Self.ipv4(), .silent) == .dropped(answer: nil))
        #expect(Self.fate(Self.ipv6(), .silent) == .dropped(answer: nil))
    }

    private static let unanswered: [(String, SampleFrame)] = [
        ("the second fragment", ipv4(fragment: noFragments | 185)),
        ("an error", ipv4(protocol: 1, [3, 1, 0, 0] + load)),
        ("an error of IPv6", ipv6(next: 58, [1, 0, 0, 0] + load)),
        ("a group", changed(ipv4(), [224, 0, 0, 5], at: 30)),
        ("everybody", changed(ipv4(), [255, 255, 255, 255], at: 30)),
        ("a group of IPv6", changed(ipv6(), [0xff, 2], at: 38)),
        ("from a group", changed(ipv4(), [239, 1, 1, 1], at: 26)),
        ("from nobody", changed(ipv4(), [0, 0, 0, 0], at: 26)),
        ("from nobody, IPv6", changed(ipv6(), [UInt8](repeating: 0, count: 16), at: 22)),
    ]

    @Test(arguments: unanswered)
    func `what nobody answers is dropped all the same`(name: String, frame: SampleFrame) {
        #expect(Self.fate(frame) == .dropped(answer: nil))
    }

    @Test(arguments: [
        ipv4(fragment: noFragments | 0x2000), ipv4(protocol: 1, [8, 0, 0, 0] + load),
        ipv6(next: 58, [128, 0, 0, 0] + load),
    ]) func `a first fragment and a question are answered`(frame: SampleFrame) {
        #expect(Self.fate(frame) != .dropped(answer: nil))
    }

    @Test func `an answer goes to the neighbour that the packet came from`() throws {
        var store = try FrameStore(limit: ByteCount(bytes: 1 << 20))
        let link = SampleFrame.ethernet + [0x81, 0, 0, 5, 8, 0]
        let answer = store.frame(answering: link, [1, 2, 3])
        let id = try #require(answer)
        let bytes = store.withFrame(id) { _, frame in frame.indices.map { frame[$0] } }
        #expect(bytes == [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0, 0, 5, 8, 0, 1, 2, 3])
        #expect(store[id].network == 18 && store[id].length == 3)
        let toMany = store.frame(answering: [0xff] + link.dropFirst(), [1])
        #expect(toMany == nil)
        let bare = store.frame(answering: [], [1, 2])
        #expect(bare != nil)
    }
}
