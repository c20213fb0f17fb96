import LinkTesting
import LinuxKernel
import Testing

@testable import Netlink

@Suite("Messages about links and routes", .tags(.unit))
struct LinkMessageTests {
    private static let messages: [(title: String, message: NetlinkMessage)] = [
        (
            "ip link add lcu5 index 1275068426 group 7181 type ifb",
            Link.addIFB(name: "lcu5", index: 0x4c00_000a, group: 7181)
        ),
        ("ip link add app0 type veth peer name dn0", Link.addVeth(name: "app0", peer: "dn0")),
        (
            "ip link set dev lcu5 alias \"linkcond/1 up of=5\" up",
            Link.bringUp(index: 0x4c00_000a, alias: "linkcond/1 up of=5")
        ),
        (
            "ip link set dev lcu5 alias \"linkcond/1\"",
            Link.setAlias(index: 0x4c00_000a, "linkcond/1")
        ),
        (
            "ip link set dev lcu5 addrgenmode none",
            Link.disableAutoconfiguration(index: 0x4c00_000a)
        ),
        ("ip link set dev lo mtu 1500", Link.setMTU(index: 1, 1500)),
        ("ip link del dev lcu5", Link.delete(index: 0x4c00_000a)),
        ("ip link del group 7181", Link.delete(group: 7181)),
        ("ip link show dev eth0", Link.get(name: "eth0")),
        ("ip link show, of the interface with index 5", Link.get(index: 5)),
        ("ip link show", Link.list()),
        ("ip link show type ifb", Link.list(kind: "ifb")),
        ("ip route", Route.list()),
        (
            "ip route get 198.41.0.4 from 192.168.77.2 iif if7",
            Route.lookUp(
                IPAddress(ipv4: 0xc629_0004), from: IPAddress(ipv4: 0xc0a8_4d02), arrivingBy: 7)
        ),
    ]

    @Test("Each message has the bytes that the golden file explains")
    func goldens() throws {
        let text = Self.messages.map { "# \($0.title)\n\(AnnotatedMessage($0.message.bytes))" }
        try Golden("link-messages.txt").expect(text.joined(separator: "\n"))
    }

    @Test("A message says its own length, and that it is a request without a number yet")
    func headers() {
        for (title, message) in Self.messages {
            let length: UInt32 = message.bytes.read(at: 0)
            #expect(Int(length) == message.bytes.count, "\(title)")
            #expect(message.bytes.count.isMultiple(of: 4), "\(title)")
            #expect(message.flags & 1 == 1, "\(title)")
            #expect(message.sequence == 0, "\(title)")
            #expect(message.bytes.read(at: 12, as: UInt32.self) == 0, "\(title)")
        }
    }

    @Test("A name or an alias of any length is written whole, with a zero behind it")
    func texts() throws {
        for length in 0...300 {
            let alias = String(repeating: "x", count: length)
            let message = Link.setAlias(index: 1, alias)
            let (_, attributes) = try #require(message.parse(FixedPart.self))
            #expect(attributes.string(20) == alias)
            #expect(attributes[20]?.count == length + 1)
            #expect(message.bytes.count == 16 + 16 + (4 + length + 1 + 3) / 4 * 4)
        }
    }

    /// As long as `struct ifinfomsg`.
    private struct FixedPart: BitwiseCopyable {
        var words = (UInt64.zero, UInt64.zero)
    }
}
