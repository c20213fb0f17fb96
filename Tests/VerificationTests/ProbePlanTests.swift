import Catalog
import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import Verification

@Suite("Plan of a measurement", .tags(.unit))
struct ProbePlanTests {
    private static let profiles = ProfileCatalog(directories: []).all().entries.map(\.profile)

    @Test("Every profile can be measured in reasonable time", arguments: profiles)
    func time(profile: Profile) {
        let times = Effort.allCases.map { ProbePlan(profile.conditions, effort: $0).duration }
        #expect(times[0] < .seconds(45), "\(times[0])")
        #expect(times[1] < .seconds(100), "\(times[1])")
        #expect(times[2] < .seconds(500), "\(times[2])")
        #expect(times == times.sorted())
    }

    @Test(
        "Flows of a way follow one another, and what they leave behind is gone", arguments: profiles
    )
    func order(profile: Profile) {
        let conditions = profile.conditions.withExplicitLoss
        let plan = ProbePlan(profile.conditions, effort: .normal)
        for direction in Direction.allCases {
            let flows = plan.flows.filter { $0.direction == direction }
            let way = direction.conditions(of: conditions)
            for (flow, next) in zip(flows, flows.dropFirst()) {
                #expect(next.start >= flow.start + flow.duration + way.delay)
            }
            for flow in flows {
                #expect(flow.count > 0 && flow.payload >= 24)
                #expect(flow.start + flow.duration <= plan.duration)
            }
        }
        // A socket for each.
        let ports = plan.flows.map { "\($0.family) \($0.port)" }
        #expect(Set(ports).count == ports.count)
    }

    @Test("Loss is looked for below the bandwidth, and the bandwidth above it", arguments: profiles)
    func rates(profile: Profile) {
        let conditions = profile.conditions.withExplicitLoss
        for flow in ProbePlan(profile.conditions, effort: .normal).flows {
            guard let bandwidth = flow.direction.conditions(of: conditions).bandwidth,
                let interval = flow.segments.last?.interval
            else { continue }
            let packet = ByteCount(bytes: UInt64(flow.packetBytes))
            let load = bandwidth.serializationDelay(of: packet).seconds / interval.seconds
            if flow.purpose == .saturation {
                #expect(load > 1.1 && load < 1.2)
            } else {
                #expect(load < 0.7)
            }
        }
    }

    @Test("Rare losses are given the packets that it takes to see them")
    func rareEvents() throws {
        let rare = DirectionConditions(loss: .random(Ratio(knownPartsPerBillion: 10_000_000)))
        let plan = ProbePlan(LinkConditions(down: rare, up: .init()), effort: .normal)
        let counts = plan.flows.filter { $0.purpose == .loss }.map { ($0.direction, $0.count) }
        let down = try #require(counts.first { $0.0 == .down }?.1)
        let up = try #require(counts.first { $0.0 == .up }?.1)
        #expect(down >= 6000 && up == 1000)
    }

    @Test("Of a black hole only the loss is looked at")
    func blackhole() {
        let plan = ProbePlan(LinkConditions(isBlackhole: true), effort: .quick)
        #expect(plan.flows.map(\.purpose) == [.loss, .loss])
        #expect(plan.transfers.isEmpty && plan.connects.isEmpty)
    }

    private static func link(mtu: Int, corrupt: Ratio = .zero) -> LinkConditions {
        let way = DirectionConditions(
            bandwidth: .megabitsPerSecond(1), corrupt: corrupt, mtu: LinkMTU(bytes: mtu))
        return LinkConditions(down: way, up: way, dnsDelay: .milliseconds(100))
    }

    @Test("Every probe fits the MTU", arguments: [68, 71, 72, 200, 1280])
    func mtu(bytes: Int) {
        let flows = ProbePlan(Self.link(mtu: bytes, corrupt: .percent(5)), effort: .normal).flows
        #expect(flows.allSatisfy { $0.packetBytes <= bytes && $0.payload >= ProbeHead.byteCount })
        for purpose in [ProbePlan.Purpose.delay, .loss, .saturation, .dns, .dnsReference] {
            #expect(flows.contains { $0.purpose == purpose && $0.family == .ipv4 }, "\(purpose)")
        }
        #expect(flows.contains { $0.family == .ipv6 } == (bytes >= 72))
    }

    @Test("TCP is measured unless the MTU is below what the kernel's TCP sends")
    func fragmentedTransfers() {
        #expect(ProbePlan(Self.link(mtu: 551), effort: .normal).transfers.isEmpty)
        #expect(ProbePlan(Self.link(mtu: 552), effort: .normal).transfers.count == 2)
    }

    @Test("A queue that would take minutes to empty is not filled")
    func hugeQueue() {
        let way = DirectionConditions(
            bandwidth: .kilobitsPerSecond(20), queue: .time(.seconds(100)))
        let plan = ProbePlan(LinkConditions(down: way, up: way), effort: .normal)
        #expect(plan.duration < .seconds(60))
        #expect(
            plan.flows.filter { $0.purpose == .saturation }.allSatisfy { $0.segments.count == 1 })
    }
}
