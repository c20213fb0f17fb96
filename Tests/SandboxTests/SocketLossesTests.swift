import LinkTesting
import Testing

@testable import Sandbox

@Suite("Packets that sockets lose", .tags(.unit))
struct SocketLossesTests {
    @Test func `they are read as the kernel writes them`() {
        let text = """
            Ip: Forwarding DefaultTTL
            Ip: 1 64
            Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors
            Udp: 100 2 7 90 5 1
            TcpExt: SyncookiesSent TCPBacklogDrop TCPRcvQDrop
            TcpExt: 9 20 300
            """
        #expect(SocketLosses.count(pairs: text) == 325)
        #expect(SocketLosses.count(lines: "Udp6InErrors 4\nUdp6RcvbufErrors\t 3\n") == 3)
    }

    @Test(arguments: ["", "Udp:\nUdp:", "Udp: RcvbufErrors\n", "Udp: RcvbufErrors\nUdp: x", "Udp"])
    func `what is not there is nothing`(text: String) {
        #expect(SocketLosses.count(pairs: text) == 0)
        #expect(SocketLosses.count(lines: text) == 0)
    }
}
