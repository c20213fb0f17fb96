import Catalog
import DataPlane
import LinkModel
import LinkTesting
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
}
