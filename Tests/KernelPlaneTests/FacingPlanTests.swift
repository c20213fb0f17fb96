import DataPlane
import LinkModel
import LinkTesting
import LinkUnits
import Testing
import TrafficControl

@testable import KernelPlane

@Suite("Conditions of an interface that leads to the apps", .tags(.unit))
struct FacingPlanTests {
    /// The delays of each hook's queue disciplines.
    private static func delays(facesApps: Bool) throws -> [Direction: [Duration]] {
        var request = ApplyRequest(
            conditions: LinkConditions(
                down: DirectionConditions(delay: .milliseconds(10)),
                up: DirectionConditions(delay: .milliseconds(20)), dnsDelay: .seconds(3)),
            profile: "a profile", now: 0)
        request.facesApps = facesApps
        let planned = try request.planned(
            target: 5, link: ConditionedLink(mtu: 1500, headerLength: 14), madeClsact: true)
        return Dictionary(
            planned.map { direction in
                let delays = direction.tree.qdiscs.compactMap { qdisc -> Duration? in
                    if case .netem(let netem) = qdisc.kind { netem.delay } else { nil }
                }
                return (direction.mark.direction, delays.filter { $0 > .zero }.sorted())
            }
        ) { first, _ in first }
    }

    @Test func `what arrives goes up, and queries of DNS with it`() throws {
        let plain = try Self.delays(facesApps: false)
        #expect(plain[.down] == [.milliseconds(10)])
        #expect(plain[.up]?.first == .milliseconds(20))
        #expect((plain[.up]?.count ?? 0) > 1)
        let facing = try Self.delays(facesApps: true)
        #expect(facing[.down] == plain[.up])
        #expect(facing[.up] == plain[.down])
    }
}
