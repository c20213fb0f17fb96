import Catalog
import DataPlane
import LinkModel
import LinkTesting
import LinkUnits
import Netlink
import Testing

@testable import KernelPlane

@Suite("What the kernel lacks for a profile") struct PlaneLackKernelTests {
    @Test(.requiresNamespaces)
    func `is the same for interfaces of a host and for the link of a run`() async throws {
        try await withNewNamespace {
            let host = try TestHost()
            let kernel = try KernelPlane(environment: [:])
            for profile in ProfileCatalog.builtIn {
                var demand = PlaneDemand([profile.conditions])
                let ofRun = kernel.lack(forUnused: demand)
                demand.links = [try #require(try host.session.link(named: "eth0"))]
                #expect(kernel.lack(for: demand, nil) == ofRun, "\(profile.id)")
                let refused = kernel.lack(forUnused: demand, isRefused: true)
                #expect(refused == ofRun, "\(profile.id)")
            }
        }
    }

    @Test(.requiresConditioning)
    func `is little where qdiscs are only less exact, in either direction`() async throws {
        try await withNewNamespace {
            let kernel = try KernelPlane(environment: [:])
            let managed = DirectionConditions(bandwidth: .megabitsPerSecond(1), aqm: .codel)
            let reason = "the first packets after a pause pass the kernel's AQM at once"
            for conditions in [LinkConditions(up: managed), LinkConditions(down: managed)] {
                let lack = kernel.lack(forUnused: PlaneDemand([conditions]))
                #expect(lack == PlaneLack(reason, isMinor: true))
            }
        }
    }
}
