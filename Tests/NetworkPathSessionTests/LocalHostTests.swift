import LinkTesting
import Testing

@testable import NetworkPathSession

@Suite("Which hosts are this one", .tags(.unit)) struct LocalHostTests {
    @Test(arguments: [
        "localhost", "LOCALHOST", "localhost.", "app.localhost", "app.localhost.", "127.0.0.1",
        "127.8.0.1", "127.1", "127.0.1", "127.0.0.1.", "2130706433", "0x7f.1", "0x7f000001",
        "0177.0.0.1", "[::1]", "::1", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]",
    ]) func `this one`(_ host: String) {
        #expect(LocalHost.contains(host))
    }

    @Test(arguments: [
        "", ".", "localhost.example", "notlocalhost", "127.0.0.1.example", "128.0.0.1", "0.0.0.0",
        "127.0.0.256", "127.256.1", "127..1", "127.0.0.0.1", "4294967296", "0x", "08", "1",
        "[::2]", "[::ffff:128.0.0.1]", "[127.0.0.1]", "[", "fd00::1",
    ]) func `another`(_ host: String) {
        #expect(!LocalHost.contains(host))
    }

    @Test(
        arguments: [
            ("127.1", 0x7f00_0001), ("1.2.3.4", 0x0102_0304), ("1.2.772", 0x0102_0304),
            ("1.131844", 0x0102_0304), ("16909060", 0x0102_0304), ("010.1", 0x0800_0001),
            ("4294967295", 0xffff_ffff),
        ] as [(String, UInt32)])
    func `addresses are read as the resolver reads them`(_ text: String, _ address: UInt32) {
        #expect(LocalHost.ipv4(text) == address)
    }
}
