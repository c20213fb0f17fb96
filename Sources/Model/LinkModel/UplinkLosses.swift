/// What the uplink of a run lost between the link and the host's network, for want of room or time.
///
/// TCP makes up for it, but with datagrams it counts as loss that no conditions asked for.
public struct UplinkLosses: Sendable, Hashable, Codable {
    /// What was lost in one direction.
    public struct Packets: Sendable, Hashable, Codable {
        /// Datagrams that came faster than they could be read.
        public var unread: UInt64 = 0
        /// Packets that the kernel did not take.
        public var unsent: UInt64 = 0

        /// All of them.
        var total: UInt64 { unread + unsent }

        private enum CodingKeys: String, CodingKey {
            case unread = "unreadPackets"
            case unsent = "unsentPackets"
        }
    }

    /// From the app to the network.
    public var up = Packets()
    /// From the network to the app.
    public var down = Packets()

    /// Counts from zero.
    public init() {}

    /// Whether nothing was lost.
    public var isNone: Bool { self == UplinkLosses() }

    /// What the user should know; nil if nothing was lost.
    public var note: String? {
        guard !isNone else { return nil }
        return "the uplink lost packets that the profile did not lose (\(down.total) toward "
            + "the command, \(up.total) from it): they came faster than this machine could "
            + "carry them; larger values of net.core.rmem_max and net.core.wmem_max give it room"
    }
}
