import CLinux
import SystemPackage

/// Marks the packets that the sockets of some control groups or processes send.
///
/// A program (eBPF) at each chosen group, or at the root of all where processes are chosen by their
/// names, runs for each packet that leaves from a socket of the group, after it was routed. Packets of
/// other groups do not meet it. The kernel removes the programs with the descriptors of this process.
/// The sockets themselves are not changed.
///
/// Needs Linux 5.10 with `CONFIG_CGROUP_BPF` and `CONFIG_DEBUG_INFO_BTF`, and `CAP_SYS_ADMIN`.
public final class SocketOwners: Sendable {
    /// Which packets that leave by an interface get a bit.
    public struct Rule: Sendable, Hashable {
        /// The index of the interface.
        public var interface: Int32
        /// The control group of a packet's socket, or one above it; nil if it does not matter.
        public var group: PresentGroup?
        /// The names of which the process of the socket must have one; empty if they do not matter.
        public var names: Set<String>
        /// The bit of the mark that says so.
        public var bit: UInt32
        /// Whether it is the only rule for the interface, and has no group. Then established connections
        /// of others, if they have no mark, get that of packets that are left alone.
        public var sparesOthers: Bool

        /// Makes a rule.
        public init(
            interface: Int32, group: PresentGroup?, names: Set<String>, bit: UInt32,
            sparesOthers: Bool
        ) {
            self.interface = interface
            self.group = group
            self.names = names
            self.bit = bit
            self.sparesOthers = sparesOthers
        }
    }

    /// What marks look like.
    public struct Mark: Sendable, Hashable {
        /// What is under `mask` in each mark that has bits of rules.
        public var tag: UInt32
        /// The bits that are not those of rules.
        public var mask: UInt32
        /// Packets with this mark are left alone.
        public var spared: UInt32

        /// Makes a description.
        public init(tag: UInt32, mask: UInt32, spared: UInt32) {
            self.tag = tag
            self.mask = mask
            self.spared = spared
        }
    }

    /// The most names that can be told apart at once.
    public static let mostNames = SocketNames.most

    private let names: SocketNames?
    private let markers: [Marker]

    /// Begins to mark packets in the network namespace of the calling thread, also those of sockets
    /// that are open already. A group that is gone by now is left out.
    ///
    /// - Precondition: the rules have no more than `mostNames` names.
    public init(_ rules: [Rule], mark: Mark) throws(KernelError) {
        let types = try KernelTypes.ofKernel()
        let network = try lc_network(types)
        let named = Set(rules.flatMap(\.names))
        let root = try OwnedDescriptor(
            lc_groups_open(), opening: "the root of the control groups (version 2)")
        names =
            named.isEmpty
            ? nil : try SocketNames(named, root: root, network: network.cookie, types)
        var markers: [Marker] = []
        for (group, rules) in Dictionary(grouping: rules, by: \.group) {
            guard let group else {
                markers.append(try Marker(rules, names, root, network, mark))
                continue
            }
            guard let directory = try group.open() else { continue }
            markers.append(try Marker(rules, names, directory, network, mark))
        }
        self.markers = markers
        names?.findOpenSockets()
    }

    /// Recognises the sockets that processes with the names have open, and that are not noted yet: that
    /// were opened earlier, or got from other processes.
    public func findOpenSockets() { names?.findOpenSockets() }
}

/// The program at one control group.
private final class Marker: Sendable {
    private let link: OwnedDescriptor

    init(
        _ rules: [SocketOwners.Rule], _ names: SocketNames?, _ group: borrowing OwnedDescriptor,
        _ network: lc_network, _ mark: SocketOwners.Mark
    ) throws(KernelError) {
        let rules = rules.map { rule in
            lc_owner_rule(
                interface: UInt32(bitPattern: rule.interface), names: names?.bits(rule.names) ?? 0,
                bit: rule.bit, spares: rule.sparesOthers ? 1 : 0)
        }
        let looks = lc_owner_mark(tag: mark.tag, mask: mark.mask, spared: mark.spared)
        var network = network
        link = try OwnedDescriptor(
            unsafe withUnsafePointer(to: &network) { network in
                unsafe lc_owners_mark(
                    names?.notes ?? -1, group.number, network, looks, rules, rules.count)
            }, creating: "a program for packets (eBPF)")
    }
}

extension lc_network {
    /// That of the calling thread.
    fileprivate init(_ types: KernelTypes) throws(KernelError) {
        self.init(
            place: try types.place(of: "skc_net", in: "sock_common"),
            number_place: try types.place(of: "ns", in: "net")
                + types.place(of: "inum", in: "ns_common"),
            number: UInt32(truncatingIfNeeded: try NetworkNamespace.currentInode()),
            cookie: try Self.currentCookie())
    }

    private static func currentCookie() throws(KernelError) -> UInt64 {
        let subject = "the number of the network namespace"
        let socket: DatagramSocket
        do {
            socket = try DatagramSocket(isIPv6: false)
        } catch {
            throw KernelError(.read, subject: subject, errno: error)
        }
        var cookie: UInt64 = 0
        try checked(unsafe lc_socket_network(socket.descriptor.rawValue, &cookie), .read, subject)
        return cookie
    }
}
