import DataPlane
import Foundation
import LinkModel
import LinkTesting
import LinkUnits
import PacketLoop
import Testing
import TrafficControl

@testable import EnginePlane

@Suite("Redirect", .tags(.unit)) struct RedirectTests {
    private let mark = RedirectMark(
        target: 5, since: 1_800_000_000, name: "default", profile: "apple/LTE")

    private let ends = Redirect.Ends(near: 100, far: 101)

    @Test func `the way down arrives at the interface`() {
        let redirect = Redirect.sample(.down)
        let commands = (redirect.wire(mark) + redirect.steps(ends)).map(\.command)
        let filter = "action mirred ingress redirect dev eth0 cookie 6c696e6b636f6e64"
        #expect(
            commands == [
                "ip link add lcd5 group 7181 mtu 65535 arp off type veth "
                    + "peer name lcd5e group 7181 mtu 65535 arp off",
                "ip link set dev lcd5 alias 'linkcond-engine/2 of=5 since=1800000000 "
                    + "name=default profile=apple/LTE'",
                "ip link set dev lcd5 addrgenmode none",
                "ip link set dev lcd5e addrgenmode none",
                "tc qdisc add dev lcd5 clsact",
                "tc filter add dev lcd5 ingress pref 2 protocol ip u32 match u32 0x0 0x0 at 0 "
                    + filter,
                "tc filter add dev lcd5 ingress pref 3 protocol ipv6 u32 match u32 0x0 0x0 at 0 "
                    + filter,
                "tc filter add dev lcd5 ingress pref 4 protocol 802.1Q u32 match u32 0x0 0x0 at 0 "
                    + filter,
                "tc filter add dev lcd5 ingress pref 5 protocol 802.1ad u32 match u32 0x0 0x0 at 0 "
                    + filter,
                "ip link set dev lcd5e up",
                "ip link set dev lcd5 up",
            ])
        #expect(redirect.exit(ends).interface == 101 && redirect.exit(ends).mark == Redirect.mark)
        #expect(redirect.needsClaim && redirect.claimText.contains("lcd5, ingress, pref 1"))
    }

    @Test func `the way up leaves by the interface, through its queue`() {
        let redirect = Redirect.sample(.up)
        #expect(redirect.exit(ends).interface == 5 && !redirect.exit(ends).bypassesQdisc)
        #expect(!redirect.steps(ends).contains { $0.command.hasPrefix("tc") })
    }

    @Test func `wires of different ways do not share names, and those are not too long`() {
        var names: Set<String> = []
        for target: Int32 in [1, 2, 3, 16_777_214, 16_777_215] {
            for direction in Direction.allCases {
                for slot in Slot.all {
                    var redirect = Redirect.sample(direction)
                    redirect.target = .init(index: target, name: "x")
                    redirect.slot = slot
                    for name in [redirect.near, redirect.far] {
                        #expect(names.insert(name).inserted && name.utf8.count <= 15)
                    }
                }
            }
        }
    }

    @Test(arguments: ["apple/LTE", "a b  c", "x=y", "", "naïve, down.loss=2%"])
    func `an alias tells what it was made of`(profile: String) {
        let mark = RedirectMark(target: 7, since: 12, name: "api", profile: profile)
        #expect(RedirectMark(alias: mark.alias) == mark)
    }

    @Test func `an alias tells who ends the conditions, and what became of the engine`() {
        var mark = mark
        for limit in [
            TimeLimit(ends: 17, process: 4, watcher: "3w5e11264sgsf"),
            TimeLimit(ends: nil, process: 4, watcher: "a"),
            TimeLimit(ends: 17, process: nil, watcher: "b"),
        ] {
            mark.limit = limit
            mark.end = mark.end == nil ? .standstill : .hooks
            #expect(RedirectMark(alias: mark.alias) == mark)
        }
        // The name of a watcher becomes that of a file.
        mark.limit = TimeLimit(ends: 17, process: nil, watcher: "../x")
        #expect(RedirectMark(alias: mark.alias)?.limit == nil)
    }

    @Test func `a long profile is cut where the alias ends`() {
        let mark = RedirectMark(
            target: 7, since: 12, name: "api", profile: String(repeating: "é", count: 300))
        #expect(mark.alias.utf8.count < 256)
        #expect(RedirectMark(alias: mark.alias)?.target == 7)
    }

    @Test(
        arguments: [
            "", "linkcond-engine/2", "linkcond-engine/1 of=5 since=1 name=a profile=x",
            "linkcond-engine/2 of=x since=1 name=a profile=x",
            "linkcond/1 up of=5 since=1 profile=x", "linkcond-engine/2 of=5 since=1 profile=x",
            "linkcond-engine/2 of=5 since=1 name=a", "linkcond-engine/2 of=5 x name=a profile=x",
            // Longer than any name that was ever given.
            "linkcond-engine/2 of=5 since=1 name=\(String(repeating: "n", count: 240)) profile=x",
        ])
    func `foreign aliases are foreign`(alias: String) {
        #expect(RedirectMark(alias: alias) == nil)
    }

    @Test func `a request arrives as it was sent`() throws {
        var conditions = LinkConditions()
        conditions.down.bandwidth = .megabitsPerSecond(50)
        conditions.down.loss = .bursts(mean: .percent(2), burst: 4)
        conditions.down.jitter = Jitter(amount: .milliseconds(3), distribution: .pareto)
        conditions.up.queue = .bytes(ByteCount(bytes: 65_536))
        conditions.up.reorder = Reordering(mean: .percent(1), gap: 5)
        conditions.up.trace = "/tmp/x.trace"
        conditions.dnsDelay = .microseconds(1500)
        var apply = ApplyRequest(
            conditions: conditions, profile: "p", directions: [.down], replaces: true, seed: .max,
            now: 17)
        apply.limit = TimeLimit(ends: 18, process: nil)
        let request = EngineRequest(apply: apply, interfaces: [3, 4])
        let data = try JSONEncoder().encode(request)
        #expect(try JSONDecoder().decode(EngineRequest.self, from: data) == request)
    }
}
