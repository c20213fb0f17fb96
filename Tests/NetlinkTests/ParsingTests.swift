import LinkTesting
import Testing

@testable import Netlink

@Suite("Reading messages", .tags(.unit))
struct ParsingTests {
    @Test("A datagram is taken apart by the lengths of its messages, alignment included")
    func datagram() {
        let first = FakeTransport.message(type: 16, sequence: 1, payload: [1, 2, 3, 4, 5])
        let second = FakeTransport.message(type: 17, sequence: 2, payload: [])
        let messages = NetlinkMessage.messages(in: first + [0, 0, 0] + second)
        #expect(messages.map(\.type) == [16, 17])
        #expect(messages.map(\.sequence) == [1, 2])
        #expect(messages.map(\.payload.count) == [5, 0])
    }

    @Test("What stands behind a message whose length is wrong is left out")
    func damagedRest() {
        let whole = FakeTransport.message(type: 16, payload: [1, 2, 3, 4])
        for length: UInt32 in [0, 15, 21, .max] {
            var damaged = whole
            damaged.replaceSubrange(0..<4, with: FakeTransport.withBytes(of: length))
            #expect(NetlinkMessage.messages(in: whole + damaged).count == 1, "\(length)")
        }
        #expect(NetlinkMessage.messages(in: Array(whole.dropLast())).isEmpty)
        #expect(NetlinkMessage.messages(in: []).isEmpty)
    }

    @Test("Attributes keep their values whatever flags their types carry")
    func flags() {
        let attributes = Attributes(
            (FakeTransport.attribute(0x8000 | 2, FakeTransport.attribute(1, [7]))
                + FakeTransport.attribute(0x4000 | 3, [1, 2]))[...])
        #expect(attributes.nested(2)?.value(1, as: UInt8.self) == 7)
        #expect(attributes[3].map(Array.init) == [1, 2])
        #expect(attributes.contains(3))
        #expect(!attributes.contains(4))
    }

    @Test("An attribute shorter than the type asked for has no value of it")
    func shortAttribute() {
        let attributes = Attributes(FakeTransport.attribute(1, [1, 2, 3])[...])
        #expect(attributes.value(1, as: UInt16.self) == 0x0201)
        #expect(attributes.value(1, as: UInt32.self) == nil)
        #expect(attributes.nested(1, behind: UInt32.self) == nil)
    }

    @Test("A text ends at its zero, and may lack it")
    func texts() {
        let attributes = Attributes(
            (FakeTransport.attribute(1, [0x61, 0, 0x62])
                + FakeTransport.attribute(2, [0x61, 0x62]) + FakeTransport.attribute(3, []))[...])
        #expect(attributes.string(1) == "a")
        #expect(attributes.string(2) == "ab")
        #expect(attributes.string(3) == "")
        #expect(attributes.string(4) == nil)
    }

    @Test("An attribute that is longer than what holds it ends the reading")
    func longAttribute() {
        let whole = FakeTransport.attribute(1, [1, 2, 3, 4])
        for length: UInt16 in [0, 3, 9, .max] {
            var damaged = FakeTransport.attribute(2, [5, 6, 7, 8])
            damaged.replaceSubrange(0..<2, with: FakeTransport.withBytes(of: length))
            let attributes = Attributes((whole + damaged)[...])
            #expect(attributes.contains(1), "\(length)")
            #expect(!attributes.contains(2), "\(length)")
        }
    }

    @Test("Only a complete description of an interface is a link")
    func links() throws {
        let header: [UInt8] =
            [0, 0] + FakeTransport.withBytes(of: UInt16(1)) + FakeTransport.withBytes(of: Int32(7))
            + FakeTransport.withBytes(of: UInt32(1)) + FakeTransport.withBytes(of: UInt32(0))
        let attributes =
            FakeTransport.attribute(3, Array("eth0".utf8) + [0])
            + FakeTransport.attribute(4, FakeTransport.withBytes(of: UInt32(1400)))
            + FakeTransport.attribute(18, FakeTransport.attribute(1, Array("veth".utf8) + [0]))
            + FakeTransport.attribute(20, Array("Ümlaut".utf8))
            + FakeTransport.attribute(27, FakeTransport.withBytes(of: UInt32(9)))
        let link = try #require(self.link(16, header + attributes))
        #expect(link.index == 7)
        #expect(link.name == "eth0")
        #expect(link.kind == "veth")
        #expect(link.alias == "Ümlaut")
        #expect(link.group == 9)
        #expect(link.mtu == 1400)
        #expect(link.isUp)
        #expect(!link.isLoopback)
        #expect(link.hasEthernetHeader)
        #expect(self.link(17, header + attributes) == nil)
        #expect(self.link(16, header) == nil)
        #expect(self.link(16, Array(header.dropLast())) == nil)
    }

    /// Hardware types, and the addresses of tunnels' ends (`IFLA_ADDRESS`, `IFLA_BROADCAST`).
    @Test(
        "A tunnel's packets are bare, unless each says where it goes, and its ends no hardware's",
        arguments: [
            (65534, [], [], true), (65534, [2, 0, 0, 0, 0, 1], [], false),
            (512, [], [], true), (519, [], [], true),
            (768, [10, 0, 0, 1], [10, 0, 0, 2], true), (776, [10, 0, 0, 1], [0, 0, 0, 0], true),
            (778, [10, 0, 0, 1], [10, 0, 0, 2], true), (778, [10, 0, 0, 1], [0, 0, 0, 0], false),
            (778, [10, 0, 0, 1], [239, 0, 0, 1], false), (778, [], [], false),
            (823, [0xfd] + Array(repeating: 1, count: 15), Array(repeating: 2, count: 16), true),
            (823, Array(repeating: 1, count: 16), Array(repeating: 0, count: 16), false),
            (823, [], [0xff] + Array(repeating: 0, count: 15), false),
            (1, [2, 0, 0, 0, 0, 1], Array(repeating: 0xff, count: 6), false),
        ] as [(UInt16, [UInt8], [UInt8], Bool)])
    func bareLinks(type: UInt16, address: [UInt8], broadcast: [UInt8], isBare: Bool) throws {
        let header =
            [0, 0] + FakeTransport.withBytes(of: type) + [7, 0, 0, 0]
            + Array(repeating: UInt8(0), count: 8)
        let attributes =
            FakeTransport.attribute(3, Array("t0".utf8) + [0])
            + FakeTransport.attribute(1, address) + FakeTransport.attribute(2, broadcast)
        let link = try #require(self.link(16, header + attributes))
        #expect(link.isBare == isBare)
        #expect(link.address == (isBare ? [] : address))
    }

    private func link(_ type: Int, _ payload: [UInt8]) -> Link? {
        Link(NetlinkMessage(bytes: FakeTransport.message(type: type, payload: payload)))
    }

    @Test("A default route is one of the main table that leads to some host")
    func routes() throws {
        func route(
            family: UInt8 = 2, prefix: UInt8 = 0, table: UInt8 = 254, type: UInt8 = 1,
            _ attributes: [UInt8]
        ) -> Route? {
            let header: [UInt8] = [family, prefix, 0, 0, table, 3, 0, type, 0, 0, 0, 0]
            return Route(
                NetlinkMessage(bytes: FakeTransport.message(type: 24, payload: header + attributes))
            )
        }
        let interface = FakeTransport.attribute(4, FakeTransport.withBytes(of: Int32(3)))
        let metric = FakeTransport.attribute(6, FakeTransport.withBytes(of: UInt32(100)))
        let found = try #require(route(interface + metric))
        #expect(found.interface == 3)
        #expect(found.isDefault)
        #expect(found.metric == 100)
        #expect(!found.isIPv6)
        #expect(route(family: 10, interface)?.isIPv6 == true)
        #expect(route(prefix: 24, interface)?.isDefault == false)
        #expect(route(table: 255, interface) == nil)
        #expect(route(type: 7, interface) == nil)
        #expect(route([])?.interface == nil)

        // struct rtnexthop: length, flags, hops, interface.
        let hops = FakeTransport.attribute(
            9, [8, 0, 0, 0] + FakeTransport.withBytes(of: Int32(5)) + [8, 0, 0, 0, 6, 0, 0, 0])
        #expect(route(hops)?.interface == 5)
    }
}
