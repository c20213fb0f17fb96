import Foundation
import LinkModel
import LinkTesting
import Testing

@Suite("Ports of servers", .tags(.unit))
struct ServerPortTests {
    @Test(arguments: [("8000", "8000"), ("53/udp", "53/udp"), ("65535/tcp", "65535")])
    func `a port is read and written`(text: String, written: String) throws {
        let port = try #require(ServerPort(text))
        #expect(port.description == written)
        let json = try JSONEncoder().encode([port])
        #expect(try JSONDecoder().decode([ServerPort].self, from: json) == [port])
    }

    @Test(arguments: ["", "0", "0/udp", "65536", "-1", "80/", "80/sctp", "/udp", "80/udp/udp", "a"])
    func `what is none is not read`(text: String) {
        #expect(ServerPort(text) == nil)
    }

    @Test func `one of TCP is a number in JSON`() throws {
        let json = try JSONEncoder().encode([ServerPort(80), ServerPort(53, isUDP: true)])
        let text = String(decoding: json, as: UTF8.self).replacing("\\", with: "")
        #expect(text == "[80,\"53/udp\"]")
    }
}
