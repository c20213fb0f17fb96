import CNetlink
import Glibc
public import SystemPackage

/// Reports changes of interfaces, and of their qdiscs, addresses and routes, as they happen.
public final class NetlinkEvents {
    /// What to listen for.
    public enum Topic: Sendable, Hashable, CaseIterable {
        /// Interfaces.
        case links
        /// Qdiscs, classes and filters.
        case traffic
        /// IPv4 and IPv6 addresses.
        case addresses
        /// IPv4 and IPv6 routes.
        case routes
        /// The link-layer addresses of neighbours.
        case neighbours
    }

    private let socket: NetlinkSocket

    /// The descriptor, for waiting together with others.
    public var descriptor: FileDescriptor { socket.descriptor }

    /// Listens in the calling thread's network namespace; requires no privilege.
    public init(_ topics: [Topic] = [.links, .traffic]) throws(NetlinkError) {
        socket = try NetlinkSocket()
        for group in topics.flatMap(\.groups) {
            try socket.join(group: UInt32(group.rawValue))
        }
    }

    /// Listens to the interfaces of `namespace`, and to its end, from the calling thread's network
    /// namespace: the socket does not keep the other one alive. The caller may then close
    /// `namespace`.
    ///
    /// Requires `CAP_NET_ADMIN` in both, and Linux 4.9.
    public init(ofOther namespace: FileDescriptor) throws(NetlinkError) {
        socket = try NetlinkSocket()
        try socket.listenToOtherNamespaces()
        for group in [RTNLGRP_LINK, RTNLGRP_NSID] {
            try socket.join(group: UInt32(group.rawValue))
        }
        // The kernel reports only namespaces that have an ID in this one.
        let number = NetlinkMessage(RTM_NEWNSID, rtgenmsg(rtgen_family: UInt8(AF_UNSPEC))) {
            $0.put(Int(NETNSA_NSID), Int32(-1))
            $0.put(Int(NETNSA_FD), UInt32(namespace.rawValue))
        }
        let failures = try NetlinkSession().execute([number])
        guard let failure = failures.first, failure.errno != .fileExists else { return }
        throw NetlinkError(
            attempt: "number a network namespace", errno: failure.errno,
            kernelText: failure.kernelText)
    }

    /// Whether any of `changes` reports the end of an interface or of a namespace.
    public static func haveEnd(_ changes: [NetlinkMessage]) -> Bool {
        changes.contains { [UInt16(RTM_DELLINK), UInt16(RTM_DELNSID)].contains($0.type) }
    }

    /// Waits for the next changes, at most for `limit`; empty if nothing changed in that time.
    public func next(within limit: Duration) throws(NetlinkError) -> [NetlinkMessage] {
        var descriptor = pollfd(
            fd: socket.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        // poll(2) would wait for ever with a negative time.
        let milliseconds = Int32(min(max(0, limit / .milliseconds(1)), Double(Int32.max)))
        guard unsafe poll(&descriptor, 1, milliseconds) > 0 else { return [] }
        do {
            return NetlinkMessage.messages(in: try socket.receive())
        } catch  where error.errno == .noMemory {
            // The receive buffer overflowed: something changed.
            return []
        }
    }
}

extension NetlinkEvents.Topic {
    fileprivate var groups: [rtnetlink_groups] {
        switch self {
        case .links: [RTNLGRP_LINK]
        case .traffic: [RTNLGRP_TC]
        case .addresses: [RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR]
        case .routes: [RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE]
        case .neighbours: [RTNLGRP_NEIGH]
        }
    }
}
