import CNetlink
public import LinuxKernel
import SystemPackage

/// An address from which the kernel opens further paths of Multipath TCP connections. Equivalent
/// to an endpoint of `ip mptcp`.
public struct MultipathEndpoint: Sendable, Hashable {
    /// The number by which the kernel and the other end identify it; zero until it has one.
    public var id: UInt8
    /// The address.
    public var address: IPAddress
    /// The index of the interface that has it.
    public var interface: Int32
    /// Whether its path is a backup, which carries data only while no regular path exists.
    public var isBackup: Bool

    /// Describes an endpoint.
    public init(id: UInt8 = 0, address: IPAddress, interface: Int32, isBackup: Bool) {
        self.id = id
        self.address = address
        self.interface = interface
        self.isBackup = isBackup
    }

    init?(_ message: NetlinkMessage) {
        guard let (_, attributes) = message.parse(genlmsghdr.self),
            let own = attributes.nested(MPTCP_PM_ATTR_ADDR),
            let bytes = own[MPTCP_PM_ADDR_ATTR_ADDR4] ?? own[MPTCP_PM_ADDR_ATTR_ADDR6],
            let address = IPAddress(bytes: bytes)
        else { return nil }
        id = own.value(MPTCP_PM_ADDR_ATTR_ID, as: UInt8.self) ?? 0
        self.address = address
        interface = own.value(MPTCP_PM_ADDR_ATTR_IF_IDX, as: Int32.self) ?? 0
        let flags = own.value(MPTCP_PM_ADDR_ATTR_FLAGS, as: UInt32.self) ?? 0
        isBackup = flags & Self.backup != 0
    }

    private static let subflow: UInt32 = 1 << 1
    private static let backup: UInt32 = 1 << 2

    fileprivate func describe(in builder: borrowing MessageBuilder) {
        builder.nest(MPTCP_PM_ATTR_ADDR) { builder in
            builder.put(MPTCP_PM_ADDR_ATTR_FAMILY, UInt16(address.family))
            if id != 0 { builder.put(MPTCP_PM_ADDR_ATTR_ID, id) }
            builder.put(
                address.isIPv6 ? MPTCP_PM_ADDR_ATTR_ADDR6 : MPTCP_PM_ADDR_ATTR_ADDR4,
                bytes: address.bytes)
            builder.put(
                MPTCP_PM_ADDR_ATTR_FLAGS, Self.subflow | (isBackup ? Self.backup : 0))
            builder.put(MPTCP_PM_ADDR_ATTR_IF_IDX, interface)
        }
    }
}

/// The kernel's Multipath TCP path manager, in the network namespace of the thread that opens it.
/// Equivalent to `ip mptcp`.
public final class MultipathManager {
    /// The most endpoints, and the most additional paths of a connection, that the kernel allows.
    public static let limit: UInt32 = 8

    private let session: NetlinkSession
    private let family: GenericFamily

    /// Looks up the path manager; throws `Errno.protocolNotSupported` if the kernel has none.
    public convenience init() throws(NetlinkError) {
        try self.init(NetlinkSession(.generic))
    }

    init(_ session: NetlinkSession) throws(NetlinkError) {
        self.session = session
        guard let family = try session.genericFamily(named: MPTCP_PM_NAME) else {
            throw NetlinkError(
                attempt: "reach the path manager of Multipath TCP", errno: .protocolNotSupported)
        }
        self.family = family
    }

    /// All endpoints. Equivalent to `ip mptcp endpoint`.
    public func endpoints() throws(NetlinkError) -> [MultipathEndpoint] {
        try session.dump(
            family.message(MPTCP_PM_CMD_GET_ADDR),
            attempt: "list the endpoints of Multipath TCP"
        ).compactMap { MultipathEndpoint($0) }
    }

    /// Allows a connection this many paths in addition to its first one. Equivalent to `ip mptcp
    /// limits set subflow N`.
    public func allow(paths: UInt32) throws(NetlinkError) {
        let limits = family.message(MPTCP_PM_CMD_SET_LIMITS) {
            $0.put(MPTCP_PM_ATTR_SUBFLOWS, paths)
            $0.put(MPTCP_PM_ATTR_RCV_ADD_ADDRS, UInt32(0))
        }
        try session.execute(limits, attempt: "set the limits of Multipath TCP")
    }

    /// Opens a path from this address for every present and future connection. Equivalent to `ip
    /// mptcp endpoint add ADDRESS dev NAME subflow`.
    public func add(_ endpoint: MultipathEndpoint) throws(NetlinkError) {
        try execute(MPTCP_PM_CMD_ADD_ADDR, endpoint, "add")
    }

    /// Closes the paths from this address, and tells the peers that the address is gone. Equivalent
    /// to `ip mptcp endpoint delete id N`.
    public func delete(_ endpoint: MultipathEndpoint) throws(NetlinkError) {
        try execute(MPTCP_PM_CMD_DEL_ADDR, endpoint, "delete")
    }

    /// Turns the paths from this address into backup or regular paths, and tells the peers.
    /// Equivalent to `ip mptcp endpoint change id N backup`.
    public func setBackup(of endpoint: MultipathEndpoint) throws(NetlinkError) {
        try execute(MPTCP_PM_CMD_SET_FLAGS, endpoint, "change")
    }

    private func execute(
        _ command: Int, _ endpoint: MultipathEndpoint, _ verb: String
    ) throws(NetlinkError) {
        try session.execute(
            family.message(command, endpoint.describe),
            attempt: "\(verb) the Multipath TCP endpoint \(endpoint.address)")
    }
}
