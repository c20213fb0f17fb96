import LinkModel
import LinkTesting
import LinuxKernel
import Netlink
import NetworkPath
import Testing

@testable import Sandbox

@Suite("Interfaces of a sandbox", .tags(.unit))
struct SandboxInterfaceTests {
    @Test(arguments: ["", "a b", "ä", "x/y", ".", "..", "all", "lo", "lo-link", "abcdefghijklmnop"])
    func `a bad name is told`(name: String) {
        let interface = SandboxInterface(name: name, conditions: LinkConditions(), profile: "p")
        #expect(SandboxInterface.problem(of: [interface])?.hasPrefix("\(name): ") == true)
    }

    @Test func `several wires have names, numbers and addresses of their own`() {
        let names = (1...SandboxInterface.limit).map { "e\($0)" }
        let wires = SandboxNetwork(number: 255).wires(behind: names)
        let addresses = wires.flatMap { $0.families.flatMap { [$0.app, $0.gateway] } }
        #expect(Set(addresses).count == addresses.count)
        let far = SandboxNetwork(number: 255).families.flatMap { [$0.host, $0.server] }
        #expect(Set(addresses).isDisjoint(with: far))
        let ends = wires.flatMap { [$0.appEnd, $0.farEnd, $0.bridge, $0.port, $0.away] }
        #expect(Set(ends.map(\.index)).count == ends.count)
        #expect(Set(ends.map(\.name)).count == ends.count)
        #expect(Set(wires.map(\.table)).count == wires.count)
    }

    @Test func `one wire is as it always was`() {
        let wire = SandboxNetwork(number: 7).wires(behind: ["eth0"])[0]
        #expect(wire.families.map(\.app.description) == ["198.18.7.2", "fd6c:696e:6b63:7::2"])
        #expect(wire.families.map(\.gateway.description) == ["198.18.7.1", "fd6c:696e:6b63:7::1"])
        #expect([wire.app.index, wire.appEnd.index, wire.farEnd.index] == [101, 103, 104])
    }
}
