import LinkTesting
import LinkModel
import PacketLoop
import Testing
import TrafficControl

@testable import EngineService

@Suite("Hooks of a loopback", .tags(.unit)) struct LoopbackHooksTests {
    private func way(
        _ direction: Direction, slot: Int = 0, _ traffic: DetouredTraffic = DetouredTraffic()
    ) -> HookTable.Way {
        let loopback = Interface(index: 1, name: "lo")
        return HookTable.Way(
            detour: Detour(
                target: loopback, address: [0, 0, 0, 0, 0, 0], direction: direction, slot: slot),
            traffic: traffic)
    }

    private func table(_ ways: HookTable.Way...) -> HookTable {
        HookTable(target: .init(index: 1, name: "lo"), ways: ways)
    }

    @Test func `each packet is taken when it leaves, and is for both loops`() {
        let table = table(way(.up), way(.down))
        #expect(
            table.addText == """
                add table netdev linkcond_1 { flags owner; }
                add set netdev linkcond_1 open { type mark; flags dynamic,timeout; timeout 900ms; }
                add element netdev linkcond_1 open { 0x0 timeout 900ms }
                add chain netdev linkcond_1 gate { type filter hook ingress device "lcu1" priority 0; }
                add rule netdev linkcond_1 gate ether type 0x88b5 update @open \
                { meta mark & 0x0 timeout 900ms } drop
                add chain netdev linkcond_1 engine { type filter hook ingress devices = \
                { "lcu1e", "lcd1e" } priority 0; policy drop; }
                add chain netdev linkcond_1 up { type filter hook egress device "lo" priority 0; }
                add rule netdev linkcond_1 up meta mark 0x1c0d7181 meta mark set 0 accept
                add rule netdev linkcond_1 up meta mark & 0x0 != @open accept
                add rule netdev linkcond_1 up ip daddr { 224.0.0.0/4, 255.255.255.255, \
                127.255.255.255 } accept
                add rule netdev linkcond_1 up ip6 saddr fe80::/10 accept
                add rule netdev linkcond_1 up ip6 daddr { fe80::/10, ff00::/8 } accept
                add rule netdev linkcond_1 up icmpv6 type 133-137 accept
                add rule netdev linkcond_1 up meta protocol ip dup to "lcu1" fwd to "lcd1"
                add rule netdev linkcond_1 up meta protocol ip6 dup to "lcu1" fwd to "lcd1"
                add table inet linkcond_loopback { flags owner; }
                add chain inet linkcond_loopback sent { type filter hook output priority -300; }
                add rule inet linkcond_loopback sent meta mark 0x1c0d7181 notrack

                """)
        #expect(
            table.deleteText == """
                delete table netdev linkcond_1
                delete table inet linkcond_loopback

                """)
    }

    @Test func `of one direction alone there is one wire`() {
        let text = table(way(.down)).addText
        #expect(text.contains("meta protocol ip fwd to \"lcd1\"") && !text.contains("dup to"))
    }

    @Test func `what is spared in either direction is spared first`() {
        let traffic = DetouredTraffic(
            isSelective: true,
            up: ["ip daddr 127.0.0.9 accept", "ip daddr 127.0.0.2 \(DetouredTraffic.verdict)"],
            down: [
                "ip saddr 127.0.0.9 accept",
                "jump { accept; ip saddr 127.0.0.2 \(DetouredTraffic.verdict); }",
            ])
        let lines = table(way(.up, slot: 1, traffic), way(.down, slot: 1, traffic)).addText
            .split(separator: "\n").filter { $0.contains("127.0.0.9") || $0.contains("127.0.0.2") }
            .map { $0.replacing("add rule netdev linkcond_1 up ", with: "") }
        let verdict = #"dup to "lcu1.1" fwd to "lcd1.1""#
        #expect(
            lines == [
                "ip daddr 127.0.0.9 accept", "ip saddr 127.0.0.9 accept",
                "ip daddr 127.0.0.2 \(verdict)",
                "jump { accept; ip saddr 127.0.0.2 \(verdict); }",
            ])
    }

    @Test func `its wires need no address, and nothing puts packets in`() {
        let mark = DetourMark(target: 1, since: 0, name: "default", profile: "p")
        for direction in Direction.allCases {
            let detour = way(direction).detour
            #expect(!detour.wire(mark)[0].command.contains("address"))
            let steps = detour.steps(.init(near: 1, far: 2))
            #expect(!steps.contains { $0.command.hasPrefix("tc") })
        }
    }

    @Test func `packets of a tunnel get a header on the way down`() {
        let tunnel = Interface(index: 5, name: "tun0")
        let up = Detour(target: tunnel, address: [], direction: .up)
        let down = Detour(target: tunnel, address: [], direction: .down)
        #expect(up.framing == .bare && down.framing == .dressed)
        let mark = DetourMark(target: 5, since: 0, name: "default", profile: "p")
        #expect(!up.wire(mark)[0].command.contains("address"))
        #expect(down.wire(mark)[0].command.contains("lcd5 address 02:6c:63:00:00:01 "))
        #expect(Detour.sample(.up).framing == .ethernet)
    }
}
