import LinkTesting
import LinuxKernel
import Multipath
import Netlink
import Scenarios
import Testing

/// The kernel's path manager, in network namespaces.
@Suite(
    "Multipath TCP: path manager", .requiresNamespaces,
    .enabled("the kernel has to have Multipath TCP") { (try? MultipathSupport.check()) != nil })
struct MultipathServiceTests {
    /// The endpoints there are, as `NAME ADDRESS` with a `*` for a reserve.
    private static func endpoints() throws -> Set<String> {
        let names = Dictionary(
            uniqueKeysWithValues: try NetlinkSession().links().map { ($0.index, $0.name) })
        return Set(
            try MultipathManager().endpoints().map {
                "\(names[$0.interface] ?? "?") \($0.address)\($0.isBackup ? "*" : "")"
            })
    }

    private static let twoInterfaces = """
        for i in 1 2; do
            ip link add if$i type veth peer name peer$i
            ip link set if$i addrgenmode none up
            ip link set peer$i up
            ip address add 192.0.2.$((i * 16 + 2))/28 dev if$i
            ip address add 2001:db8:$i::2/64 dev if$i nodad
            ip route add default via 192.0.2.$((i * 16 + 1)) dev if$i metric ${i}00
            ip -6 route add default via 2001:db8:$i::1 dev if$i metric ${i}00
        done
        """

    @Test func `each address that leads out is an endpoint`() async throws {
        let found = try await withNewNamespace {
            try shell(Self.twoInterfaces)
            _ = try MultipathService(.handover)
            return try Self.endpoints()
        }
        #expect(
            found == [
                "if1 192.0.2.18", "if1 2001:db8:1::2", "if2 192.0.2.34*", "if2 2001:db8:2::2*",
            ])
    }

    @Test func `what is there already is changed, not made anew`() async throws {
        let (before, after) = try await withNewNamespace {
            try shell(Self.twoInterfaces)
            _ = try MultipathService(.handover)
            let before = try MultipathManager().endpoints()
            try shell("ip route replace default via 192.0.2.33 dev if2 metric 50")
            _ = try MultipathService(.handover)
            return (before, try MultipathManager().endpoints())
        }
        #expect(before.map(\.id) == after.map(\.id))
        #expect(after.filter { !$0.isBackup }.allSatisfy { $0.address != before[0].address })
    }

    @Test func `an interface without carrier or address is none`() async throws {
        let found = try await withNewNamespace {
            try shell(Self.twoInterfaces + "\nip link set peer1 down; ip -6 address flush dev if2")
            _ = try MultipathService(.aggregate)
            return try Self.endpoints()
        }
        #expect(found == ["if2 192.0.2.34"])
    }

    @Test func `receive windows begin wide at both ends`() async throws {
        let windows = try await withNewNamespace {
            let parameter = KernelParameter("net/ipv4/tcp_rmem")
            try parameter.write("4096 131072 6291456")
            try MultipathService.welcomePaths()
            let far = try parameter.read()
            try parameter.write("4096 131072 6291456")
            try shell(Self.twoInterfaces)
            _ = try MultipathService(.aggregate)
            return [far, try parameter.read()]
        }
        #expect(windows.allSatisfy { $0.split(whereSeparator: \.isWhitespace)[1] == "6291456" })
    }
}
