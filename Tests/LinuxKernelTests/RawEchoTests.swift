import LinkTesting
import Testing

@testable import LinuxKernel

@Suite("RawEcho", .tags(.unit)) struct RawEchoTests {
    private static let message: [UInt8] = [8, 0, 9, 9, 1, 2, 0, 7, 0x61, 0x62]

    @Test func `a request of IPv4 is one of its own, with a checksum`() {
        let sent = RawEcho(isIPv6: false, identifier: 0xabcd).request(Self.message)
        #expect(sent[4...] == [0xab, 0xcd, 0, 7, 0x61, 0x62])
        var checksum = PacketChecksum()
        checksum.add(sent[...])
        #expect(checksum.value == 0)
    }

    @Test func `a short message stays as it is`() {
        #expect(RawEcho(isIPv6: false).request([8, 0, 0]) == [8, 0, 0])
    }

    @Test func `a reply is known by its identifier, behind the header of IPv4`() {
        let echo = RawEcho(isIPv6: false, identifier: 0x0102)
        // 24 bytes, with an option.
        let header = [0x46] + [UInt8](repeating: 0, count: 23)
        let reply = [0] + Self.message.dropFirst()
        #expect(echo.reply(in: (header + reply)[...]).map(Array.init) == reply)
        #expect(RawEcho(isIPv6: false, identifier: 1).reply(in: (header + reply)[...]) == nil)
        #expect(echo.reply(in: (header + Self.message)[...]) == nil)
        #expect(echo.reply(in: (header + reply.prefix(7))[...]) == nil)
        #expect(echo.reply(in: []) == nil)
    }

    @Test func `with IPv6 there is no header`() {
        let echo = RawEcho(isIPv6: true, identifier: 0x0102)
        let reply = [129] + Self.message.dropFirst()
        #expect(echo.reply(in: reply[...]).map(Array.init) == reply)
        #expect(echo.reply(in: Self.message[...]) == nil)
    }
}
