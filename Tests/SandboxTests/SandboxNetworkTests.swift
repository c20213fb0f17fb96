import LinkTesting
import LinuxKernel
import Netlink
import Testing

@testable import Sandbox

@Suite("The network of a sandbox", .tags(.unit))
struct SandboxNetworkTests {
    @Test func `networks of different numbers share no address`() {
        let addresses = [0, 1, 255, 256, 258].flatMap { number in
            SandboxNetwork(number: number).families.flatMap { [$0.app, $0.host, $0.server] }
        }
        #expect(Set(addresses).count == addresses.count)
        #expect(addresses.map(\.description).contains("198.18.255.3"))
        #expect(addresses.map(\.description).contains("fd6c:696e:6b63:1::2"))
    }

    private static func candidates(
        beside own: [(address: String, prefixLength: UInt8)]
    ) -> [String] {
        SandboxNetwork.candidates(
            beside: own.compactMap { own in
                IPAddress(own.address).map { ($0, own.prefixLength) }
            }
        ).map { $0.families[0].host.description }
    }

    @Test func `the first is taken where nothing else is there`() {
        let found = Self.candidates(beside: [("10.0.0.1", 24), ("fd6c:696e:6b63:1::2", 64)])
        #expect(found.prefix(2) == ["198.18.0.1", "198.18.1.1"])
        #expect(found.count == 259 && Set(found).count == 259)
    }

    /// The outer ones of a nested sandbox are below its own, and the command knows their hosts.
    @Test(arguments: [("198.18.0.2", UInt8(24)), ("198.18.0.18", 28)])
    func `a nested sandbox goes on after the outer one's`(address: String, length: UInt8) {
        let found = Self.candidates(beside: [(address, length)])
        #expect(found.first == "198.18.1.1" && !found.contains("198.18.0.1"))
        let further = Self.candidates(beside: [("198.18.1.2", 24)])
        #expect(further.first == "198.18.2.1" && further[254] == "198.18.0.1")
    }

    @Test(arguments: [UInt8(15), 16, 30])
    func `networks in which a VPN makes addresses up are left alone`(length: UInt8) {
        #expect(
            Self.candidates(beside: [("198.18.0.1", length)])
                == ["203.0.113.1", "198.51.100.1", "192.0.2.1"])
    }
}
