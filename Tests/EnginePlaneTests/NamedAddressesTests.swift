import LinkTesting
import LinuxKernel
import Testing

@testable import EnginePlane

@Suite("The addresses of a name", .tags(.unit))
struct NamedAddressesTests {
    private func address(_ number: Int) -> IPAddress {
        IPAddress(ipv4: 0xc000_0200 + UInt32(number))
    }

    @Test func `what answers no longer have stays for an hour`() {
        var name = NamedAddresses()
        name.learn([address(1), address(2)], at: .zero)
        name.learn([address(2), address(3)], at: .seconds(5))
        #expect(name.all == [address(1), address(2), address(3)])
        name.learn([address(3)], at: .seconds(3601))
        #expect(name.all == [address(2), address(3)])
    }

    @Test func `a failure changes nothing, and several are told`() {
        var name = NamedAddresses()
        name.learn([address(1)], at: .zero)
        for _ in 0..<3 {
            #expect(!name.isMissing)
            name.learn([], at: .seconds(100_000))
        }
        #expect(name.isMissing && name.all == [address(1)])
        name.learn([address(2)], at: .seconds(100_001))
        #expect(!name.isMissing && name.all == [address(2)])
    }

    @Test func `a name server that makes up addresses fills no table`() {
        var name = NamedAddresses()
        for round in 0..<9 {
            name.learn((0..<100).map { address(100 * round + $0) }, at: .seconds(round))
        }
        #expect(name.all.count == NamedAddresses.most)
        #expect(name.all.contains(address(899)) && !name.all.contains(address(0)))
        name.learn((2000..<3000).map(address), at: .seconds(10))
        #expect(name.all.count == NamedAddresses.most)
    }
}
