import LinkTesting
import LinuxKernel
import Testing

@testable import Sandbox

@Suite("Sockets that the kernel lists", .tags(.unit))
struct ListedSocketTests {
    static let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt
           0: 00000000:1F40 00000000:0000 0A 00000000:00000002 00:00000000 00000000
           1: 020012C6:D431 010012C6:1F40 04 00015E00:00000000 01:00000000 00000000
           2: B80D0120000000000000000001000000:0016 0000000000000000FFFF0000020012C6:0050 08 0:1
        """

    @Test func `ends, states and queues are read`() throws {
        let sockets = ListedSocket.parse(Self.table)
        #expect(sockets.map(\.state) == [.listening, .finWait1, .closeWait])
        #expect(sockets.map(\.local.port) == [8000, 54321, 22])
        #expect(sockets.map(\.remote.port) == [0, 8000, 80])
        #expect(
            sockets.map(\.local.address.description) == ["0.0.0.0", "198.18.0.2", "2001:db8::1"])
        #expect(
            sockets.map(\.remote.address.description) == ["0.0.0.0", "198.18.0.1", "198.18.0.2"])
        #expect(sockets.map(\.unacknowledged) == [0, 89_600, 0])
        #expect(sockets.map(\.unread) == [2, 0, 1])
    }

    @Test(
        arguments: [
            "", "header\n", "header\n0: x y 0A 0:0\n", "header\n0: :ZZZZ y 0A 0:0",
            "header\n0: 0:1 00000000:0000 0A 0:0", "header\n0: 00000000:0050 00000000:0000 0A 0",
        ])
    func `nonsense is no socket`(table: String) {
        #expect(ListedSocket.parse(table).isEmpty)
    }
}
