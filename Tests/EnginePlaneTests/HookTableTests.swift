import DataPlane
import Foundation
import LinkModel
import LinkTesting
import LinuxKernel
import Testing
import TrafficControl

@testable import EnginePlane

@Suite("Hook table", .tags(.unit)) struct HookTableTests {
    private func table(_ ways: HookTable.Way...) -> HookTable {
        HookTable(target: .init(index: 5, name: "eth0"), ways: ways)
    }

    private func way(
        _ direction: Direction, slot: Int = 0, _ selector: TrafficSelector = .everything
    ) -> HookTable.Way {
        var redirect = Redirect.sample(direction)
        redirect.slot = slot
        return HookTable.Way(redirect: redirect, selector: selector)
    }

    @Test func `takes IP of both directions, and lets be what the engine is done with`() throws {
        try Golden("hook-table.txt").expect(table(way(.up), way(.down)).addText)
    }

    @Test func `lets be by its ports what only ports could choose, unless others may choose it`()
        throws
    {
        func accepting(_ ways: HookTable.Way...) -> [String] {
            HookTable(target: .init(index: 5, name: "eth0"), ways: ways).addText
                .split(separator: "\n").filter { $0.contains("!= 80 ") }.map(String.init)
        }
        let web = try #require(TrafficSelector(text: "port=80;to=192.0.2.1"))
        #expect(
            accepting(way(.up, web), way(.down, slot: 1))
                == ["tcp", "udp"].map {
                    "add rule netdev linkcond_5 up meta l4proto \($0) th sport != 80 "
                        + "jump { th dport != 80 accept; }"
                })
        #expect(accepting(way(.up, web), way(.up, slot: 1)).isEmpty)
        let another = try #require(TrafficSelector(text: "port=81"))
        #expect(accepting(way(.up, web), way(.up, slot: 1, another)).isEmpty)
        let server = try #require(TrafficSelector(text: "from-port=80"))
        #expect(
            accepting(way(.up, server), way(.down, server)).map { $0.suffix(25) } == [
                "tcp th sport != 80 accept", "udp th sport != 80 accept",
                "tcp th dport != 80 accept", "udp th dport != 80 accept",
            ])
    }

    @Test func `looks at sockets and flows where users are chosen`() throws {
        let users = try #require(TrafficSelector(text: "to-port=443,user=1000,user=33;port=22"))
        try Golden("hook-table-owners.txt").expect(
            table(way(.up, users), way(.down, users)).addText)
    }

    @Test func `brings the control groups of sockets to the interface by marks`() throws {
        let groups = try #require(TrafficSelector(text: "user=0,cgroup=/a/b\\x2dc"))
        let group = PresentGroup(directory: "/sys/fs/cgroup/a/b\\x2dc", number: 7)
        let ways = [Direction.up, .down].map { direction in
            var way = way(direction, slot: 3, groups)
            way.groups = [group]
            return way
        }
        let table = table(ways[0], ways[1])
        try Golden("hook-table-groups.txt").expect(table.addText)
        #expect(
            OwnerMarks([table]).rules == [
                .init(interface: 5, group: group, names: [], bit: 8, sparesOthers: false)
            ])
    }

    @Test func `programs have bits of marks by slot, within a control group if that is chosen`()
        throws
    {
        let mixed = try #require(TrafficSelector(text: "process=a,process=b%20c,cgroup=/x"))
        let alone = try #require(TrafficSelector(text: "process=a"))
        let group = PresentGroup(directory: "/sys/fs/cgroup/x", number: 7)
        var within = way(.down, slot: 5, mixed)
        within.groups = [group]
        let table = table(
            way(.up, slot: 2, alone), way(.down, slot: 2, alone), within,
            way(.down, slot: 6, mixed), way(.up, slot: 7))
        #expect(
            OwnerMarks([table]).rules == [
                .init(interface: 5, group: nil, names: ["a"], bit: 4, sparesOthers: false),
                .init(
                    interface: 5, group: group, names: ["a", "b c"], bit: 32, sparesOthers: false),
            ])
        let lonely = self.table(way(.up, slot: 2, alone), way(.down, slot: 2, alone))
        #expect(
            OwnerMarks([lonely]).rules == [
                .init(interface: 5, group: nil, names: ["a"], bit: 4, sparesOthers: true)
            ])
        #expect(OwnerMarks([self.table(way(.up))]).isEmpty)
        #expect(table.addText.contains("meta mark & 0xff000004 == 0x2c000004"))
    }

    @Test func `is another where a control group is made again, and not by another order`()
        throws
    {
        let groups = try #require(TrafficSelector(text: "cgroup=/a"))
        func ways(_ number: UInt64) -> [HookTable.Way] {
            [Direction.up, .down].map { direction in
                var way = way(direction, groups)
                way.groups = [PresentGroup(directory: "/sys/fs/cgroup/a", number: number)]
                return way
            }
        }
        let (old, new) = (ways(1), ways(2))
        #expect(table(old[0], old[1]) != table(new[0], new[1]))
        #expect(table(old[0], old[1]) == table(old[1], old[0]))
    }

    @Test func `remembers what users send although only what they get is redirected`() throws {
        let users = try #require(TrafficSelector(text: "user=1000;port=22"))
        let only = table(way(.down, users))
        try Golden("hook-table-owners-down.txt").expect(only.addText)
        #expect(only.chained == [.up, .down])
    }

    @Test(
        "The kernel takes the chains of users, and nft can list them", .requiresNamespaces,
        .enabled(if: hasPrograms("nft"), "nft is not installed"),
        arguments: [[Direction.up, .down], [.down], [.up]])
    func usersInTheKernel(directions: [Direction]) async throws {
        let users = try #require(TrafficSelector(text: "user=1000,user=0;port=22"))
        let ways = directions.flatMap { [way($0, users), way($0, slot: 1, users)] }
        let text = HookTable(target: .init(index: 5, name: "eth0"), ways: ways).addText
            .replacing(" { flags owner; }", with: "")
        try await withTemporaryDirectory { directory in
            let file = try directory.write(text, to: "rules")
            try await withNewNamespace {
                _ = try shell(
                    """
                    for i in eth0 lcu5 lcu5.1 lcd5 lcd5.1; do
                    ip link add $i type veth peer name ${i}e; ip link set $i up; done
                    ip address add 192.0.2.1/24 dev eth0; nft -f \(file)
                    ping -c 1 -W 1 192.0.2.2 || true; nft list ruleset | grep -q owners0_own
                    """)
            }
        }
    }

    @Test func `leaves the other direction alone`() {
        let text = table(way(.down)).addText
        #expect(!text.contains("egress") && !text.contains("lcu5"))
    }

    @Test func `of several conditions those come first that choose, then the older ones`() throws {
        func chosen(_ port: Int) throws -> TrafficSelector {
            try #require(TrafficSelector(text: "to-port=\(port)"))
        }
        let text = try table(
            way(.up), way(.up, slot: 2, chosen(2)), way(.up, slot: 1, chosen(1))
        ).addText
        let places = try [
            "ip th dport 1 .* goto sent1", "ip th dport 2 .* goto sent2", "ip goto sent0",
        ]
        .map {
            try #require(text.range(of: $0 + "\n", options: .regularExpression)).lowerBound
        }
        #expect(places == places.sorted())
        #expect(text.components(separatedBy: "meta mark set").count == 2)
    }

    @Test func `packets that many conditions do not choose meet no more rules than with two`()
        throws
    {
        func rules(_ count: Int) throws -> Int {
            let ways = try (1...count).map { number in
                let text = "to=192.0.2.\(number),to-port=\(number)"
                return way(.up, slot: number, try #require(TrafficSelector(text: text)))
            }
            return HookTable(target: .init(index: 5, name: "eth0"), ways: ways).addText
                .components(separatedBy: "add rule netdev linkcond_5 up ").count
        }
        #expect(try rules(24) == rules(2))
    }

    @Test(arguments: ["eth0", "wlp0s20f3", "br-1f2e", "eth0.100", "eth0@x", "a'b", "$x"])
    func `can name ordinary interfaces`(name: String) {
        #expect(HookTable.canName(name))
    }

    @Test(arguments: ["a\"b", "eth*", "a\\b", "a;b", "a{b}", "é0", "a\u{7}b"])
    func `does not name what nft would take for something else`(name: String) {
        #expect(!HookTable.canName(name))
        let table = HookTable(target: .init(index: 5, name: name), ways: [way(.up)])
        #expect(!table.addText.contains(name))
        let ordinary = HookTable(target: .init(index: 5, name: "eth0"), ways: [way(.up)])
        #expect(
            table.addText.count(where: { "\"*\\;{}\n".contains($0) })
                == ordinary.addText.count(where: { "\"*\\;{}\n".contains($0) }))
    }
}

extension Redirect {
    /// That of eth0, which has the index 5.
    static func sample(_ direction: Direction) -> Redirect {
        Redirect(
            target: .init(index: 5, name: "eth0"), address: [2, 0, 0, 0, 0, 5],
            direction: direction)
    }
}
