import LinkTesting
import Testing

@testable import Uplink

@Suite("TCP options", .tags(.unit, .contrary))
struct TCPOptionsTests {
    /// A TCP header with these options behind its first 20 bytes.
    private func header(_ options: [UInt8]) -> ArraySlice<UInt8> {
        let padded = options + Array(repeating: 0, count: (4 - options.count % 4) % 4)
        var bytes = [UInt8](repeating: 0, count: 20) + padded
        bytes[12] = UInt8(bytes.count / 4) << 4
        // Behind something else, as in a packet.
        return ([0xff, 0xff] + bytes + [30, 12, 0x10])[2...]
    }

    @Test func `requests of Multipath TCP are told apart behind other options`() {
        let common: [UInt8] = [2, 4, 5, 0xb4, 4, 2, 1, 3, 3, 7]
        #expect(TCPOptions.multipath(in: header(common)) == nil)
        #expect(TCPOptions.multipath(in: header(common + [30, 4, 0x01, 0x81])) == .connection)
        let join: [UInt8] = [30, 12, 0x10, 1] + Array(repeating: 9, count: 8)
        #expect(TCPOptions.multipath(in: header(common + join)) == .path)
        // REMOVE_ADDR, which no request has.
        #expect(TCPOptions.multipath(in: header(common + [30, 4, 0x40, 1])) == nil)
    }

    @Test func `damaged options say nothing`() {
        #expect(TCPOptions.multipath(in: header([30])) == nil)
        #expect(TCPOptions.multipath(in: header([30, 0, 0x10, 0])) == nil)
        #expect(TCPOptions.multipath(in: header([30, 40, 0x10, 0])) == nil)
        #expect(TCPOptions.multipath(in: header([0, 30, 4, 0x10])) == nil)
        #expect(TCPOptions.multipath(in: []) == nil)
    }
}
