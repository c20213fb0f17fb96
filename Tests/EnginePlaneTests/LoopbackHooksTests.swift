import DataPlane
import LinkModel
import LinkTesting
import PacketLoop
import Testing
import TrafficControl

@testable import EnginePlane

@Suite("Hooks of a loopback", .tags(.unit)) struct LoopbackHooksTests {
    private func way(
        _ direction: Direction, slot: Int = 0, _ selector: TrafficSelector = .everything
    ) -> HookTable.Way {
        let loopback = Interface(index: 1, name: "lo")
        return HookTable.Way(
            redirect: Redirect(
                target: loopback, address: [0, 0, 0, 0, 0, 0], direction: direction, slot: slot),
            selector: selector)
    }

    private func table(_ ways: HookTable.Way...) -> HookTable {
        HookTable(target: .init(index: 1, name: "lo"), ways: ways)
    }

    @Test func `each packet is taken when it leaves, and is for both loops`() throws {
        let table = table(way(.up), way(.down))
        try Golden("hook-table-loopback.txt").expect(table.addText)
        #expect(
            table.tables.map(\.deletion) == [
                "delete table netdev linkcond_1", "delete table inet linkcond_loopback",
            ])
    }

    @Test func `finds both what users send and what they get as it leaves`() throws {
        let users = try #require(TrafficSelector(text: "port=80,user=1000"))
        try Golden("hook-table-loopback-owners.txt").expect(
            table(way(.up, users), way(.down, users)).addText)
    }

    @Test func `of one direction alone there is one wire`() {
        let text = table(way(.down)).addText
        #expect(text.contains("got0 fwd to \"lcd1\"") && !text.contains("dup to"))
    }

    @Test func `what is spared in either direction is spared first`() throws {
        let selector = try #require(TrafficSelector(text: "to=127.0.0.2;to=127.0.0.9"))
        let lines = table(way(.up, slot: 1, selector), way(.down, slot: 1, selector)).addText
            .split(separator: "\n").filter { $0.contains("up meta protocol ip ip") }
            .map { $0.replacing("add rule netdev linkcond_1 up meta protocol ip ", with: "") }
        let verdict = "goto sent1"
        #expect(
            lines == [
                "ip daddr 127.0.0.9 accept", "ip saddr 127.0.0.9 accept",
                "ip daddr 127.0.0.2 \(verdict)", "ip saddr 127.0.0.2 \(verdict)",
            ])
    }

    @Test func `its wires need no address, and nothing puts packets in`() {
        let mark = RedirectMark(target: 1, since: 0, name: "default", profile: "p")
        for direction in Direction.allCases {
            let redirect = way(direction).redirect
            #expect(!redirect.wire(mark)[0].command.contains("address"))
            let steps = redirect.steps(.init(near: 1, far: 2))
            #expect(!steps.contains { $0.command.hasPrefix("tc") })
        }
    }

    @Test func `packets of a tunnel get a header on the way down`() {
        let tunnel = Interface(index: 5, name: "tun0")
        let up = Redirect(target: tunnel, address: [], direction: .up)
        let down = Redirect(target: tunnel, address: [], direction: .down)
        #expect(up.framing == .bare && down.framing == .dressed)
        let mark = RedirectMark(target: 5, since: 0, name: "default", profile: "p")
        #expect(!up.wire(mark)[0].command.contains("address"))
        #expect(down.wire(mark)[0].command.contains("lcd5 address 02:6c:63:00:00:01 "))
        #expect(Redirect.sample(.up).framing == .ethernet)
    }
}
