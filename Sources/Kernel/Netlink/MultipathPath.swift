import CNetlink
public import LinuxKernel

/// One path of a Multipath TCP connection as the kernel reports it: a TCP connection of its own (a
/// subflow, in RFC 8684).
public struct MultipathPath: Sendable, Hashable {
    /// The number that all paths of one connection share.
    public let connection: UInt32
    /// This end.
    public let local: Endpoint
    /// The other end.
    public let remote: Endpoint
    /// Whether it is a backup, which carries data only while no regular path exists.
    public let isBackup: Bool
    /// The smoothed RTT; the last known value if nothing is being sent.
    public let roundTripTime: Duration
    /// How many bytes the other end has acknowledged.
    public let sentBytes: UInt64
    /// How many bytes were received.
    public let receivedBytes: UInt64

    /// Offsets of the fields read from `struct tcp_info`.
    private enum Offset {
        static let roundTripTime = 68
        static let acknowledged = 120
        static let received = 128
    }

    /// Makes a path without a kernel, for tests.
    package init(
        connection: UInt32 = 0, from local: Endpoint, to remote: Endpoint, isBackup: Bool,
        roundTripTime: Duration, sentBytes: UInt64, receivedBytes: UInt64
    ) {
        self.connection = connection
        (self.local, self.remote, self.isBackup) = (local, remote, isBackup)
        self.roundTripTime = roundTripTime
        (self.sentBytes, self.receivedBytes) = (sentBytes, receivedBytes)
    }

    /// Reads a reply about a socket; nil if it is no path of a Multipath TCP connection.
    init?(_ message: NetlinkMessage) {
        guard let (fixed, attributes) = message.parse(inet_diag_msg.self),
            let path = attributes.nested(INET_DIAG_ULP_INFO)?.nested(INET_ULP_INFO_MPTCP),
            let connection = path.value(MPTCP_SUBFLOW_ATTR_TOKEN_LOC, as: UInt32.self),
            let information = attributes[INET_DIAG_INFO]
        else { return nil }
        self.connection = connection
        let isIPv6 = fixed.idiag_family == UInt8(AF_INET6)
        local = Endpoint(
            fixed.id.idiag_src, port: fixed.id.idiag_sport, isIPv6: isIPv6)
        remote = Endpoint(
            fixed.id.idiag_dst, port: fixed.id.idiag_dport, isIPv6: isIPv6)
        let flags = path.value(MPTCP_SUBFLOW_ATTR_FLAGS, as: UInt32.self) ?? 0
        isBackup = flags & Self.backupFlags != 0
        let microseconds = information.value(at: Offset.roundTripTime, as: UInt32.self) ?? 0
        roundTripTime = .microseconds(Int64(microseconds))
        sentBytes = information.value(at: Offset.acknowledged, as: UInt64.self) ?? 0
        receivedBytes = information.value(at: Offset.received, as: UInt64.self) ?? 0
    }

    /// `MPTCP_SUBFLOW_FLAG_BKUP_REM` and `MPTCP_SUBFLOW_FLAG_BKUP_LOC`.
    private static let backupFlags: UInt32 = 1 << 4 | 1 << 5

    /// Where a path is in its life.
    public enum Phase: Sendable {
        /// It carries data, or could.
        case established
        /// This end has closed it and waits for the other end.
        case closing

        /// As bits, by the kernel's tcp_states.h.
        fileprivate var states: UInt32 {
            switch self {
            case .established: 1 << 1
            case .closing: 1 << 4 | 1 << 9 | 1 << 11
            }
        }
    }
}

extension NetlinkSession {
    /// The paths of all Multipath TCP connections in the network namespace, for a session of the
    /// family `sockets`. Equivalent to the `tcp-ulp-mptcp` part of `ss --tcp --info`.
    ///
    /// Requires `CAP_NET_ADMIN` there; without it the kernel reports no paths.
    public func multipathPaths(
        _ phase: MultipathPath.Phase = .established
    ) throws(NetlinkError) -> [MultipathPath] {
        try tcpSockets(inStates: phase.states, details: 1 << (INET_DIAG_INFO - 1))
            .compactMap { MultipathPath($0) }
    }

    /// The replies about all TCP sockets in these states of the kernel's tcp_states.h.
    func tcpSockets(
        inStates states: UInt32, details: Int = 0
    ) throws(NetlinkError) -> [NetlinkMessage] {
        var replies: [NetlinkMessage] = []
        for family in [AF_INET, AF_INET6] {
            var request = inet_diag_req_v2()
            request.sdiag_family = UInt8(family)
            request.sdiag_protocol = UInt8(IPPROTO_TCP)
            request.idiag_ext = UInt8(details)
            request.idiag_states = states
            replies += try dump(
                NetlinkMessage(Int(SOCK_DIAG_BY_FAMILY), request),
                attempt: "list the TCP connections")
        }
        return replies
    }
}
