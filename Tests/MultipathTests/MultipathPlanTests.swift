import LinkTesting
import LinuxKernel
import Netlink
import Scenarios
import Testing

@testable import Multipath

@Suite("Endpoints of Multipath TCP", .tags(.unit))
struct MultipathPlanTests {
    private let wifi = MultipathPlan.Interface(
        index: 1, name: "wifi0",
        addresses: [IPAddress(ipv4: 0x0a00_0002), IPAddress(ipv6High: 1, low: 2)],
        gateways: [])
    private let cellular = MultipathPlan.Interface(
        index: 2, name: "cell0", addresses: [IPAddress(ipv4: 0x0a00_0102)], gateways: [])

    private func carriers(_ endpoints: [MultipathEndpoint]) -> Set<Int32> {
        Set(endpoints.filter { !$0.isBackup }.map(\.interface))
    }

    @Test func `handover uses the preferred interface alone, with all of its addresses`() {
        let endpoints = MultipathPlan.endpoints(.handover, [wifi, cellular])
        #expect(endpoints.map(\.isBackup) == [false, false, true])
        #expect(carriers(MultipathPlan.endpoints(.handover, [cellular, wifi])) == [2])
        #expect(carriers(MultipathPlan.endpoints(.handover, [cellular])) == [2])
    }

    @Test func `interactive uses the quickest interface, or the first while that is gone`() {
        #expect(
            carriers(MultipathPlan.endpoints(.interactive, [wifi, cellular], quickest: 2)) == [2])
        #expect(carriers(MultipathPlan.endpoints(.interactive, [wifi, cellular])) == [1])
        #expect(carriers(MultipathPlan.endpoints(.interactive, [wifi], quickest: 2)) == [1])
    }

    @Test func `aggregate uses all, and off none`() {
        #expect(carriers(MultipathPlan.endpoints(.aggregate, [wifi, cellular])) == [1, 2])
        #expect(MultipathPlan.endpoints(.off, [wifi, cellular]).isEmpty)
    }

    @Test func `no more endpoints are asked for than the kernel takes`() {
        let many = MultipathPlan.Interface(
            index: 3, name: "eth0", addresses: (0..<20).map { IPAddress(ipv4: $0) },
            gateways: [])
        #expect(MultipathPlan.endpoints(.aggregate, [wifi, many]).count == 8)
    }

    @Test func `a change of preference names the new carrier before the old one steps back`() {
        var present = MultipathPlan.endpoints(.handover, [wifi, cellular])
        for index in present.indices { present[index].id = UInt8(index + 1) }
        let steps = MultipathPlan.steps(
            from: present, to: MultipathPlan.endpoints(.handover, [cellular, wifi]))
        let named = steps.map { step in
            guard case .setBackup(let endpoint) = step else { return "" }
            return "\(endpoint.id) \(endpoint.isBackup)"
        }
        #expect(named == ["3 false", "1 true", "2 true"])
    }

    @Test func `an interface that vanishes loses its endpoints, and gets them when it is back`() {
        let both = MultipathPlan.endpoints(.aggregate, [wifi, cellular])
        let one = MultipathPlan.endpoints(.aggregate, [wifi])
        #expect(MultipathPlan.steps(from: both, to: one) == [.delete(both[2])])
        #expect(MultipathPlan.steps(from: one, to: both) == [.add(both[2])])
        #expect(MultipathPlan.steps(from: both, to: both).isEmpty)
    }

    @Test func `people are told who carries`() {
        let endpoints = MultipathPlan.endpoints(.handover, [wifi, cellular])
        #expect(
            MultipathPlan.text(endpoints, [wifi, cellular])
                == "Multipath TCP: wifi0 carries, cell0 is in reserve")
        #expect(MultipathPlan.text([], []) == "Multipath TCP: no interface leads out")
    }

    @Test func `the kernel's counters are found by their names`() {
        let counters = MultipathCounters(
            netstat: """
                TcpExt: SyncookiesSent MPJoinSynAckRx
                TcpExt: 1 2
                MPTcpExt: MPCapableSYNTX MPCapableSYNACKRX MPJoinSynAckRx MPCapableFallbackSYNACK
                MPTcpExt: 7 5 4 2

                """)
        #expect(counters.connections == 5)
        #expect(counters.plainConnections == 2)
        #expect(counters.furtherPaths == 4)
        #expect(MultipathCounters(netstat: "").connections == 0)
    }
}
