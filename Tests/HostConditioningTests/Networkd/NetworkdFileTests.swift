import Foundation
import LinkTesting
import Testing

@testable import HostConditioning

@Suite("Files of systemd-networkd", .tags(.unit))
struct NetworkdFileTests {
    private static let address: [UInt8] = [0x02, 0xab, 0, 0, 0, 1]

    @Test(arguments: [
        ("[Match]\nMACAddress=02:ab:00:00:00:01\n", true),
        ("[Match]\n MACAddress = 00:00:00:00:00:07 02-AB-00-00-00-01\n[Network]\nDHCP=yes", true),
        ("[Match]\nMACAddress=02:ab:00:00:00:01\nName=eth0\n", false),
        ("[Match]\nMACAddress=02:ab:00:00:00:02\n", false),
        ("[Match]\nPermanentMACAddress=02:ab:00:00:00:01\n", false),
        ("[Match]\n#MACAddress=02:ab:00:00:00:01\n", false),
        ("[Match]\nName=eth0\n[Link]\nMACAddress=02:ab:00:00:00:01\n", false),
        ("", false),
    ])
    func `an interface is chosen by its address alone`(text: String, isForAll: Bool) {
        #expect(NetworkdFile(text: text).isForAll(withAddress: Self.address) == isForAll)
    }

    @Test func `linkcond's own is recognized`() throws {
        let path = "\(BuiltProduct.packageDirectory)/Scripts/packaging/05-linkcond.network"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(NetworkdFile(text: text).sparesOwnInterfaces)
        #expect(!NetworkdFile(text: "[Match]\nName=lcd*\n").sparesOwnInterfaces)
    }
}
