import CNetlink
import Glibc
public import SystemPackage

/// Changes of interfaces and of what belongs to them, as they happen.
public final class NetlinkEvents {
    /// What may change.
    public enum Topic: Sendable, Hashable, CaseIterable {
        /// Interfaces.
        case links
        /// Qdiscs, classes and filters.
        case traffic
        /// Addresses of IPv4 and IPv6.
        case addresses
        /// Routes of IPv4 and IPv6.
        case routes
    }

    private let socket: NetlinkSocket

    /// What to wait on, beside other things.
    public var descriptor: FileDescriptor { socket.descriptor }

    /// Listens in the calling thread's network namespace; no privilege is needed.
    public init(_ topics: [Topic] = [.links, .traffic]) throws(NetlinkError) {
        socket = try NetlinkSocket()
        for group in topics.flatMap(\.groups) {
            try socket.join(group: UInt32(group.rawValue))
        }
    }

    /// Waits for the next changes, at most for `limit`; empty if nothing changed in that time.
    public func next(within limit: Duration) throws(NetlinkError) -> [NetlinkMessage] {
        var descriptor = pollfd(
            fd: socket.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        // A negative time would mean to wait for ever.
        let milliseconds = Int32(min(max(0, limit / .milliseconds(1)), Double(Int32.max)))
        guard unsafe poll(&descriptor, 1, milliseconds) > 0 else { return [] }
        do {
            return NetlinkMessage.messages(in: try socket.receive())
        } catch  where error.errno == .noMemory {
            // The kernel had more to say than the buffer holds: something changed.
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
        }
    }
}
