import CNetlink
import Glibc
public import SystemPackage

/// Changes of interfaces, qdiscs and filters, as they happen.
public final class NetlinkEvents {
    private let socket: NetlinkSocket

    /// What to wait on, beside other things.
    public var descriptor: FileDescriptor { socket.descriptor }

    /// Listens in the calling thread's network namespace; no privilege is needed.
    public init() throws(NetlinkError) {
        socket = try NetlinkSocket()
        try socket.join(group: UInt32(RTNLGRP_LINK.rawValue))
        try socket.join(group: UInt32(RTNLGRP_TC.rawValue))
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
