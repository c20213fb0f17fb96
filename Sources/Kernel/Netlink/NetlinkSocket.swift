import CNetlink
import Glibc
import LinuxKernel
public import SystemPackage

/// Sends netlink datagrams to a kernel and receives its replies.
///
/// Tests replace it to inject failures.
public protocol NetlinkTransport {
    /// Sends all bytes with one system call.
    func send(_ bytes: [UInt8]) throws(NetlinkError)
    /// Waits for the next datagram.
    func receive() throws(NetlinkError) -> [UInt8]
}

/// The protocol of a netlink socket.
public enum NetlinkFamily: Sendable, Hashable {
    /// Interfaces, addresses, routes, qdiscs (`NETLINK_ROUTE`).
    case route
    /// Generic netlink families (`NETLINK_GENERIC`).
    case generic
    /// Sockets (`NETLINK_SOCK_DIAG`).
    case sockets
    /// nftables (`NETLINK_NETFILTER`).
    case packetFilter

    fileprivate var number: Int32 {
        switch self {
        case .route: NETLINK_ROUTE
        case .generic: NETLINK_GENERIC
        case .sockets: NETLINK_SOCK_DIAG
        case .packetFilter: NETLINK_NETFILTER
        }
    }
}

/// A libnl netlink socket.
///
/// It belongs to the network namespace in which it was created.
@safe
public final class NetlinkSocket: NetlinkTransport {
    private let socket: OpaquePointer

    /// Enough for the acknowledgements and dumps of some hundred interfaces.
    private static let bufferSize: Int32 = 4 * 1024 * 1024
    /// Twice the most that the kernel puts into one datagram of a dump.
    private static let messageSize = 64 * 1024

    /// Opens the socket and asks for extended error messages.
    public init(_ family: NetlinkFamily = .route) throws(NetlinkError) {
        guard let socket = unsafe nl_socket_alloc() else {
            throw NetlinkError(attempt: "open a netlink socket", errno: .noMemory)
        }
        unsafe self.socket = socket
        let status = unsafe nl_connect(socket, family.number)
        guard status == 0 else {
            // libnl has no error number for a lack of descriptors.
            let reason = Errno(rawValue: Glibc.errno)
            throw NetlinkError(
                attempt: "open a netlink socket",
                errno: reason.isLackOfDescriptors ? reason : Self.errno(of: status))
        }
        unsafe nl_socket_set_msg_buf_size(socket, Self.messageSize)
        setOption(SOL_SOCKET, SO_RCVBUFFORCE, Self.bufferSize)
        setOption(SOL_SOCKET, SO_SNDBUFFORCE, Self.bufferSize)
        // Old kernels have neither, and their replies say less.
        setOption(SOL_NETLINK, NETLINK_EXT_ACK, 1)
        setOption(SOL_NETLINK, NETLINK_CAP_ACK, 1)
    }

    /// Makes a socket from a copy of the descriptor of another one, which another process may have opened,
    /// in another network namespace.
    public init(
        copying descriptor: FileDescriptor, _ family: NetlinkFamily = .route
    ) throws(NetlinkError) {
        guard let socket = unsafe nl_socket_alloc() else {
            throw NetlinkError(attempt: "use a netlink socket", errno: .noMemory)
        }
        unsafe self.socket = socket
        let copy: FileDescriptor
        do {
            copy = try descriptor.copy()
        } catch {
            throw NetlinkError(attempt: "use a netlink socket", errno: error)
        }
        let status = unsafe nl_socket_set_fd(socket, family.number, copy.rawValue)
        guard status == 0 else {
            try? copy.close()
            throw NetlinkError(attempt: "use a netlink socket", errno: Self.errno(of: status))
        }
        unsafe nl_socket_set_msg_buf_size(socket, Self.messageSize)
    }

    deinit {
        unsafe nl_socket_free(socket)
    }

    /// The descriptor, for waiting.
    public var descriptor: FileDescriptor {
        FileDescriptor(rawValue: unsafe nl_socket_get_fd(socket))
    }

    /// Sends all bytes with one system call.
    public func send(_ bytes: [UInt8]) throws(NetlinkError) {
        let status = unsafe bytes.withUnsafeBytes { buffer in
            unsafe nl_sendto(
                socket, UnsafeMutableRawPointer(mutating: buffer.baseAddress), buffer.count)
        }
        guard status >= 0 else {
            throw NetlinkError(
                attempt: "send \(bytes.count) bytes to the kernel", errno: Self.errno(of: status))
        }
    }

    /// Waits for the next datagram.
    public func receive() throws(NetlinkError) -> [UInt8] {
        var address = sockaddr_nl()
        var buffer: UnsafeMutablePointer<UInt8>?
        let length = unsafe nl_recv(socket, &address, &buffer, nil)
        guard length > 0, let buffer = unsafe buffer else {
            throw NetlinkError(
                attempt: "read the kernel's answer",
                errno: length < 0 ? Self.errno(of: length) : .ioError)
        }
        defer { unsafe free(buffer) }
        return unsafe Array(UnsafeBufferPointer(start: buffer, count: Int(length)))
    }

    /// Subscribes to the events of a group, such as `RTNLGRP_LINK`.
    func join(group: UInt32) throws(NetlinkError) {
        let status = unsafe nl_socket_add_membership(socket, Int32(group))
        guard status == 0 else {
            throw NetlinkError(
                attempt: "listen to netlink group \(group)", errno: Self.errno(of: status))
        }
    }

    /// Also receives the events of other network namespaces that have an ID in this one.
    func listenToOtherNamespaces() throws(NetlinkError) {
        guard setOption(SOL_NETLINK, NETLINK_LISTEN_ALL_NSID, 1) != 0 else { return }
        throw NetlinkError(
            attempt: "listen to another network namespace", errno: Errno(rawValue: Glibc.errno))
    }

    @discardableResult
    private func setOption(_ level: Int32, _ name: Int32, _ value: Int32) -> Int32 {
        var value = value
        return unsafe setsockopt(
            descriptor.rawValue, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Translates libnl's own error numbers.
    private static func errno(of status: Int32) -> Errno {
        switch -status {
        case NLE_NOMEM: .noMemory
        case NLE_PERM: .notPermitted
        case NLE_AGAIN: .wouldBlock
        case NLE_BAD_SOCK: .badFileDescriptor
        case NLE_AF_NOSUPPORT: .addressFamilyNotSupported
        default: .ioError
        }
    }
}
