/// What the uplink of a run lost between the link and the host's network, for lack of time or
/// space.
///
/// TCP compensates for it, but for datagrams it is loss that no conditions asked for.
public struct UplinkLosses: Sendable, Hashable, Codable {
    /// The losses in one direction.
    public struct Packets: Sendable, Hashable, Codable {
        /// Datagrams lost because they arrived faster than they could be read.
        public var unread: UInt64 = 0
        /// Packets that the kernel refused.
        public var unsent: UInt64 = 0

        /// The sum of both.
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

    /// Makes zero counts.
    public init() {}

    /// Whether nothing was lost.
    public var isNone: Bool { self == UplinkLosses() }

    /// A note for the user; nil if nothing was lost.
    public var note: String? {
        guard !isNone else { return nil }
        return "the uplink lost packets that the profile did not lose (\(down.total) toward "
            + "the command, \(up.total) from it): they came faster than this machine could "
            + "carry them; larger values of net.core.rmem_max and net.core.wmem_max give it room"
    }
}
