import LinkTesting
import LinuxKernel
import Netlink
import Testing

@testable import Sandbox

@Suite("The network of a sandbox", .tags(.unit))
struct SandboxNetworkTests {
    @Test func `networks of different numbers share no address`() {
        let addresses = [0, 1, 255].flatMap { number in
            SandboxNetwork(number: number).families.flatMap { [$0.app, $0.host, $0.server] }
        }
        #expect(Set(addresses).count == addresses.count)
        #expect(addresses.map(\.description).contains("198.18.255.3"))
        #expect(addresses.map(\.description).contains("fd6c:696e:6b63:1::2"))
    }
}
