import LinkTesting
import Testing

@testable import Gateway

@Suite("The way out of a gateway's host", .tags(.unit))
struct WayOutTests {
    @Test func `another way than the uplink is told once, and its end`() {
        var way = WayOut()
        let notes = ["wan0", "tun0", "tun0", "tun1", "wan0", "wan0"].map {
            way.note($0, isIPv6: false, uplink: "wan0")
        }
        let told = notes.map { $0.map { $0.prefix { $0 != ":" } } }
        #expect(
            told == [
                nil, "tun0 leads to the Internet by IPv4, and not wan0", nil,
                "tun1 leads to the Internet by IPv4, and not wan0",
                "wan0 leads to the Internet by IPv4 again", nil,
            ])
        #expect(notes[1]?.hasSuffix("start the gateway with --uplink tun0") == true)
    }

    @Test func `the families are told apart`() {
        var way = WayOut()
        #expect(way.note("tun0", isIPv6: false, uplink: "wan0") != nil)
        #expect(way.note("wan0", isIPv6: true, uplink: "wan0") == nil)
        #expect(way.note("tun0", isIPv6: true, uplink: "wan0")?.contains("IPv6") == true)
    }

    @Test func `it is told by a root server's addresses`() {
        #expect("\(WayOut.destination(isIPv6: false))" == "198.41.0.4")
        #expect("\(WayOut.destination(isIPv6: true))" == "2001:503:ba3e::2:30")
    }
}
