import LinkModel
import LinkTesting
import Testing

@testable import DataPlane

@Suite("Which conditions a packet gets", .tags(.unit)) struct PrecedenceTests {
    private static func standing(
        _ name: String, slot: Int, _ text: String, _ directions: Set<Direction> = [.up, .down]
    ) -> Precedence {
        let selector = TrafficSelector(text: text)
        return Precedence(
            name: name, slot: slot, selector: selector, isSelective: selector?.isSelective ?? true,
            directions: directions)
    }

    @Test func `what chooses comes before what is for all, and then what came first`() {
        let all = [
            Self.standing("all", slot: 0, ""), Self.standing("api", slot: 1, "to=192.0.2.0/24"),
            Self.standing("web", slot: 2, "port=443"),
        ]
        #expect(all[0].precedents(among: all) == ["api", "web"])
        #expect(all[1].precedents(among: all) == [])
        #expect(all[2].precedents(among: all) == ["api"])
    }

    @Test func `only what may choose the same packets is told of`() {
        let web = Self.standing("web", slot: 3, "port=443")
        let others = [
            Self.standing("ssh", slot: 0, "to-port=22"),
            Self.standing("udp", slot: 1, "protocol=udp,port=443"),
            Self.standing("icmp", slot: 2, "protocol=icmp"),
        ]
        #expect(web.precedents(among: others) == ["ssh", "udp"])
        let down = Self.standing("down", slot: 4, "port=443", [.down])
        #expect(down.precedents(among: [Self.standing("up", slot: 0, "port=443", [.up])]) == [])
    }

    @Test func `what cannot be read may choose anything`() {
        let broken = Self.standing("cut", slot: 0, "to=192.0.2.1,~")
        #expect(broken.selector == nil)
        #expect(Self.standing("web", slot: 1, "port=443").precedents(among: [broken]) == ["cut"])
    }

    @Test func `new conditions stand behind all others`() {
        #expect(Slot.next(beside: []) == 0)
        #expect(Slot.next(beside: [0, 3]) == 4)
        #expect(Slot.next(beside: [99]) == 98)
        #expect(Slot.next(beside: [40], in: 0..<24) == 23)
        #expect(Slot.next(beside: Set(Slot.all)) == nil)
    }
}
