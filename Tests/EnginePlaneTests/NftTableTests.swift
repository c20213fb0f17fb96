import DataPlane
import LinkModel
import LinkTesting
import Testing
import TrafficControl

@testable import EnginePlane

@Suite("Changes of nftables tables", .tags(.unit)) struct NftTableTests {
    private static func ways(_ slots: ClosedRange<Int>) throws -> [HookTable.Way] {
        try slots.flatMap { slot in
            let selector = try #require(TrafficSelector(text: "port=\(7000 + slot)"))
            return Direction.allCases.map { direction in
                var redirect = Redirect.sample(direction)
                redirect.slot = slot
                return HookTable.Way(redirect: redirect, selector: selector)
            }
        }
    }

    private static func tables(_ slots: ClosedRange<Int>, _ name: String = "eth0") throws
        -> [NftTable]
    {
        HookTable(target: .init(index: 5, name: name), ways: try ways(slots)).tables
    }

    private func table(_ parts: NftTable.Part...) -> NftTable {
        NftTable(name: "inet t", parts: parts)
    }

    @Test func `what is the same stays, what differs is filled again, what is gone goes`() {
        let old = table(
            .set("s", "type mark;"), .chain("same", ["accept"]), .chain("goes", []),
            .chain("also", ["jump goes"]), .chain("in", hook: "h1;", ["jump also"]))
        let new = table(
            .set("s", "type mark;"), .chain("same", ["accept"]),
            .chain("in", hook: "h1;", ["jump same"]), .chain("new", hook: "h2;", ["drop"]))
        #expect(
            new.changes(from: old) == [
                "flush chain inet t goes", "flush chain inet t also", "flush chain inet t in",
                "delete chain inet t also", "delete chain inet t goes",
                "add rule inet t in jump same", "add chain inet t new { h2; }",
                "add rule inet t new drop",
            ])
        #expect(old.changes(from: old).isEmpty)
    }

    @Test func `a set forgets what it has learnt of others`() throws {
        let (one, another) = (
            try #require(TrafficSelector(text: "user=1")).included,
            try #require(TrafficSelector(text: "user=2")).included
        )
        func learning(_ match: TrafficMatch) -> NftTable {
            table(.set("s", "type mark;", learnsOf: match))
        }
        #expect(learning(one).changes(from: learning(one)).isEmpty)
        #expect(learning(another).changes(from: learning(one)) == ["flush set inet t s"])
    }

    @Test func `a chain at another hook is another, a table with another set as well`() {
        let old = table(.set("s", "type mark;"), .chain("in", hook: "h1;", ["drop"]))
        let moved = table(.set("s", "type mark;"), .chain("in", hook: "h2;", ["drop"]))
        #expect(
            moved.changes(from: old) == [
                "flush chain inet t in", "delete chain inet t in",
                "add chain inet t in { h2; }", "add rule inet t in drop",
            ])
        let other = table(.set("s", "type inet_proto;"), .chain("in", hook: "h1;", ["drop"]))
        #expect(other.changes(from: old) == [other.deletion] + other.additions)
    }

    @Test func `tables come and go`() {
        let other = NftTable(name: "inet other", parts: [])
        #expect([other].changes(from: [table()]) == ["delete table inet t"] + other.additions)
        #expect([NftTable]().changes(from: [other]) == ["delete table inet other"])
    }

    @Test func `one condition more is as much work beside a hundred as beside two`() throws {
        func changes(_ count: Int) throws -> Int {
            try Self.tables(1...count + 1).changes(from: Self.tables(1...count))
                .count { !$0.contains(" jump ") }
        }
        #expect(try changes(98) == changes(2))
        #expect(try changes(2) < 100)
    }

    @Test(
        "In the kernel, changed tables are as if made at once", .requiresNamespaces,
        .enabled(if: hasPrograms("nft"), "nft is not installed"))
    func kernel() async throws {
        let states = [
            try Self.tables(1...1), try Self.tables(1...3), try Self.tables(2...4),
            try Self.tables(2...4, "eth1"), try Self.tables(4...4, "eth1"),
        ]
        func text(_ commands: [String]) -> String {
            // The tables outlive the connection, and nobody holds the gate open.
            commands.joined(separator: "\n").replacing(" { flags owner; }", with: "")
                .replacing("timeout 900ms", with: "timeout 1h") + "\n"
        }
        try await withTemporaryDirectory { directory in
            try directory.write(
                """
                for i in eth0 eth1 $(seq -f lcu5.%g 4) $(seq -f lcd5.%g 4); do
                ip link add $i type veth peer name ${i}e; done

                """, to: "links")
            var script = ". \(directory.path)/links\n"
            for (number, state) in states.enumerated() {
                let former = number == 0 ? [] : states[number - 1]
                let change = try directory.write(
                    text(state.changes(from: former)), to: "c\(number)")
                let whole = try directory.write(text(state.flatMap(\.additions)), to: "w\(number)")
                // Chains and sets are listed in the order in which they were made.
                script += """
                    nft -f \(change); nft -s list ruleset | sort > \(directory.path)/changed
                    unshare --net sh -ec ". \(directory.path)/links
                    nft -f \(whole); nft -s list ruleset | sort" > \(directory.path)/whole
                    diff \(directory.path)/changed \(directory.path)/whole

                    """
            }
            let commands = script
            try await withNewNamespace { _ = try shell("set -e\n\(commands)") }
        }
    }
}
