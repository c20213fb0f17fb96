import DataPlane
import LinkTesting
import Netlink
import TrafficControl

/// All links, qdiscs, classes and filters of a namespace in the kernel's own bytes, without what
/// changes by itself: counters, clocks, carrier.
struct KernelPicture: Hashable, CustomStringConvertible {
    private var objects: Set<String> = []

    init(_ session: NetlinkSession) throws {
        let links = try session.dump(Link.list(), attempt: "list the links")
        for message in links { add(message, fixedLength: 16, volatile: Self.volatileOfLinks) }
        for message in try session.dump(Qdisc.list(), attempt: "list the qdiscs") {
            add(message, fixedLength: 20, volatile: Self.volatileOfTraffic)
        }
        for link in links.compactMap(Link.init) {
            for message in try session.dump(
                TrafficClass.list(interface: link.index), attempt: "list the classes")
            {
                add(message, fixedLength: 20, volatile: Self.volatileOfTraffic)
            }
            for hook in [QdiscHandle.clsactIngress, .clsactEgress] {
                let filters = try session.dump(
                    Filter.list(interface: link.index, parent: hook), attempt: "list the filters")
                for message in filters { addFilter(message) }
            }
        }
    }

    /// QDISC, STATS, OPERSTATE, STATS64, AF_SPEC, CARRIER and its counters: they follow the
    /// carrier, which comes when it likes.
    private static let volatileOfLinks: Set<Int> = [6, 7, 16, 23, 26, 33, 35, 47, 48]

    /// STATS, XSTATS, STATS2.
    private static let volatileOfTraffic: Set<Int> = [3, 4, 7]

    private mutating func add(_ message: NetlinkMessage, fixedLength: Int, volatile: Set<Int>) {
        var fixed = Array(message.bytes[16..<16 + fixedLength])
        // Of a link's flags only whether it is up; of a qdisc the number of its users stays.
        if fixedLength == 16 {
            fixed[8] &= 1
            fixed.replaceSubrange(9..<12, with: [0, 0, 0])
        }
        let attributes = FakeTransport.attributes(
            of: Array(message.bytes.dropFirst(16 + fixedLength)))
        let kept = attributes.filter { !volatile.contains($0.type & 0x3fff) }
        insert("\(message.type) \(Self.hex(fixed)) " + kept.map(Self.text).joined(separator: " "))
    }

    /// A filter without its counters and without the clocks of its actions.
    private mutating func addFilter(_ message: NetlinkMessage) {
        guard let state = FilterState(message) else { return }
        let options = FakeTransport.attributes(of: Array(message.bytes.dropFirst(36)))
            .first { $0.type & 0x3fff == 2 }?.value
        // CLASSID, SEL.
        let parts = FakeTransport.attributes(of: options ?? []).filter {
            [1, 5].contains($0.type & 0x3fff)
        }
        let interface: Int32 = message.bytes.read(at: 20)
        insert(
            "filter \(interface) \(state.parent) \(state.preference) \(state.ethertype) "
                + "\(state.kind) " + parts.map(Self.text).joined(separator: " "))
    }

    /// Equal objects are told apart by their number.
    private mutating func insert(_ text: String) {
        var number = 1
        while !objects.insert("\(text) #\(number)").inserted { number += 1 }
    }

    private static func text(_ attribute: (type: Int, value: [UInt8])) -> String {
        "\(attribute.type & 0x3fff)=\(hex(attribute.value))"
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// What is in the one picture and not in the other.
    func difference(to other: KernelPicture) -> String {
        let gone = objects.subtracting(other.objects).sorted().map { "- \($0)" }
        let new = other.objects.subtracting(objects).sorted().map { "+ \($0)" }
        return (gone + new).joined(separator: "\n")
    }

    var description: String { "\(objects.count) objects" }
}
