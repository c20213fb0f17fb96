import KernelPlane
import LinkTesting
import Netlink
import SystemPackage
import Testing

@testable import TrafficControl

@Suite("Links, routes, events and the kernel", .requiresNamespaces)
struct LinkKernelTests {
    private static let index: Int32 = 0x4c00_000a

    /// From `linux/rtnetlink.h`.
    private enum MessageType: UInt16 {
        case newlink = 16
        case dellink = 17
        case newqdisc = 36
        case newtfilter = 44
    }

    @Test(
        "An ifb gets the name, the index and the group that it is asked for", .requiresKernel(.ifb))
    func ifb() async throws {
        try await KernelSession.run { bed in
            try bed.execute(Link.addIFB(name: "lcu5", index: Self.index, group: 7181))
            let made = try #require(try bed.session.link(named: "lcu5"))
            #expect(made.index == Self.index)
            #expect(made.group == 7181)
            #expect(made.kind == "ifb")
            #expect(made.alias == "")
            #expect(!made.isUp)
            #expect(made.hasEthernetHeader)
            try bed.execute(Link.bringUp(index: Self.index, alias: "linkcond/1 up Ümlaut"))
            let up = try #require(try bed.session.link(named: "lcu5"))
            #expect(up.isUp)
            #expect(up.alias == "linkcond/1 up Ümlaut")
            let longest = String(repeating: "x", count: 254)
            try bed.execute(Link.setAlias(index: Self.index, longest))
            #expect(try bed.session.link(named: "lcu5")?.alias == longest)
            #expect(try bed.session.links(kind: "ifb").map(\.name) == ["lcu5"])
            try bed.execute(Link.delete(index: Self.index))
            #expect(try bed.session.link(named: "lcu5") == nil)
        }
    }

    @Test("An alias of more than 255 bytes, its zero included, is refused", .requiresKernel(.ifb))
    func longAlias() async throws {
        try await KernelSession.run { bed in
            try bed.execute(Link.addIFB(name: "lcu5", index: Self.index, group: 7181))
            #expect(throws: NetlinkError.self) {
                try bed.execute(
                    Link.setAlias(index: Self.index, String(repeating: "x", count: 255)))
            }
        }
    }

    @Test("A silenced ifb gets no address of its own", .requiresKernel(.ifb))
    func silence() async throws {
        guard (try? shell("test -e /proc/net/if_inet6")) != nil else { return }
        try await KernelSession.run { bed in
            let failures = try bed.session.execute([
                Link.addIFB(name: "loud", index: Self.index, group: 1),
                Link.addIFB(name: "silent", index: Self.index + 1, group: 1),
                Link.disableAutoconfiguration(index: Self.index + 1),
                Link.bringUp(index: Self.index, alias: ""),
                Link.bringUp(index: Self.index + 1, alias: ""),
            ])
            #expect(failures == [])
            let addresses = try shell("cat /proc/net/if_inet6")
            #expect(addresses.contains("loud"))
            #expect(!addresses.contains("silent"))
        }
    }

    @Test("All links of a group go at once, and no others", .requiresKernel(.ifb))
    func deleteGroup() async throws {
        try await KernelSession.run { bed in
            let failures = try bed.session.execute([
                Link.addIFB(name: "a", index: Self.index, group: 7181),
                Link.addIFB(name: "b", index: Self.index + 1, group: 7181),
                Link.addIFB(name: "c", index: Self.index + 2, group: 7182),
                Link.delete(group: 7181),
            ])
            #expect(failures == [])
            #expect(try bed.session.links(kind: "ifb").map(\.name) == ["c"])
        }
    }

    @Test("A pair of veths is made of two names")
    func veth() async throws {
        try await KernelSession.run { bed in
            try bed.execute(Link.addVeth(name: "app0", peer: "dn0"))
            for name in ["app0", "dn0"] {
                let link = try #require(try bed.session.link(named: name))
                #expect(link.kind == "veth")
                #expect(!link.isUp)
                #expect(link.mtu == 1500)
            }
        }
    }

    @Test("The loopback interface is known as such")
    func loopback() async throws {
        try await KernelSession.run { bed in
            let link = try #require(try bed.session.link(named: "lo"))
            #expect(link.index == 1)
            #expect(link.isLoopback)
            #expect(link.kind == nil)
            #expect(!link.isUp)
        }
    }

    @Test("Interfaces are answered for by index, many at once", .requiresKernel(.ifb))
    func many() async throws {
        try await KernelSession.run { bed in
            let indices = (0..<100).map { Self.index + $0 }
            let failures = try bed.session.execute(
                indices.map { Link.addIFB(name: "i\($0)", index: $0, group: 1) })
            #expect(failures == [])
            let found = try bed.session.get(
                (indices + [Self.index + 1000]).map { Link.get(index: $0) })
            #expect(found.map { $0.flatMap(Link.init)?.index } == indices + [nil])
            #expect(try bed.session.links(kind: "ifb").count == 100)
        }
    }

    @Test(
        "Default routes lead to their interfaces",
        .enabled(if: hasPrograms("ip"), "ip is not installed"))
    func defaultRoute() async throws {
        try await KernelSession.run { bed in
            func interfaces() throws -> [String] {
                let links = try bed.session.links()
                return try bed.session.defaultRouteInterfaces().compactMap { index in
                    links.first { $0.index == index }?.name
                }
            }
            #expect(try interfaces() == [])
            try shell(
                """
                set -e
                ip link add v0 type veth peer name v1
                ip link set v0 up; ip link set v1 up
                ip addr add 192.0.2.1/24 dev v0; ip addr add 198.51.100.1/24 dev v1
                """)
            #expect(try interfaces() == [])
            try shell("ip route add default via 192.0.2.9 dev v0 metric 600")
            #expect(try interfaces() == ["v0"])
            try shell("ip route add default via 198.51.100.9 dev v1 metric 100")
            #expect(try interfaces() == ["v1"])
            try shell(
                """
                ip route flush default
                ip route add default nexthop via 192.0.2.9 nexthop via 198.51.100.9
                """)
            #expect(try interfaces() == ["v0", "v1"])
            try shell(
                """
                ip route replace default via 192.0.2.9
                ip -6 addr add 2001:db8::1/64 dev v1 nodad
                ip -6 route add default nexthop via 2001:db8::8 nexthop via 2001:db8::9
                """)
            #expect(try interfaces() == ["v0", "v1"])
        }
    }

    @Test("Changes of links, qdiscs and filters are events", .requiresKernel(.ifb, .clsact, .u32))
    func events() async throws {
        try await KernelSession.run { bed in
            let events = try NetlinkEvents()
            func isSeen(_ type: MessageType) throws -> Bool {
                for _ in 0..<50 {
                    let messages = try events.next(within: .milliseconds(200))
                    if messages.contains(where: { $0.type == type.rawValue }) { return true }
                }
                return false
            }
            #expect(try events.next(within: .zero).isEmpty)
            try bed.execute(Link.addIFB(name: "lcu5", index: Self.index, group: 7181))
            #expect(try isSeen(.newlink))
            try bed.execute(Qdisc.clsact(on: KernelSession.loopback).add())
            #expect(try isSeen(.newqdisc))
            try bed.execute(
                Filter(
                    interface: KernelSession.loopback, parent: .clsactEgress, preference: 1,
                    networkProtocol: .ipv4, verdict: .classify(QdiscHandle(rawValue: 1))
                ).add())
            #expect(try isSeen(.newtfilter))
            try bed.execute(Link.delete(index: Self.index))
            #expect(try isSeen(.dellink))
            #expect(try events.next(within: .milliseconds(20)).isEmpty)
        }
    }
}
