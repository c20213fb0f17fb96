import Testing

@testable import Sandbox

@Suite("Listening ports")
struct ListeningPortsTests {
    @Test func `only listening sockets count, of both families`() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt
               0: 00000000:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000
               1: 0100007F:0050 0100007F:D431 01 00000000:00000000 00:00000000 00000000
               2: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A
            """
        #expect(ListeningPorts.parse(table) == [8000, 22])
    }

    @Test(arguments: ["", "header\n", "header\n0: x y 0A\n", "header\n0: :ZZZZ y 0A"])
    func `nonsense is no port`(table: String) {
        #expect(ListeningPorts.parse(table).isEmpty)
    }
}
