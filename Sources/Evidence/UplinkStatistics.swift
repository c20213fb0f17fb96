/// What the uplink of a run lost between the link and the host's network, which no profile asks
/// for.
public struct UplinkStatistics: Codable, Sendable, Hashable {
    /// What it lost in one direction.
    public struct Way: Codable, Sendable, Hashable {
        /// Datagrams that came faster than they could be read.
        public var unreadPackets: UInt64
        /// Packets that the kernel did not take.
        public var unsentPackets: UInt64

        /// Gathers what was counted.
        public init(unreadPackets: UInt64 = 0, unsentPackets: UInt64 = 0) {
            self.unreadPackets = unreadPackets
            self.unsentPackets = unsentPackets
        }

        /// All that was lost.
        public var lostPackets: UInt64 { unreadPackets + unsentPackets }
    }

    /// From the app to the network.
    public var up: Way
    /// From the network to the app.
    public var down: Way

    /// Gathers what was counted.
    public init(up: Way = Way(), down: Way = Way()) {
        self.up = up
        self.down = down
    }

    /// Whether it carried everything.
    public var isComplete: Bool { up.lostPackets + down.lostPackets == 0 }

    /// What the user should know; nil if it carried everything.
    public var note: String? {
        guard !isComplete else { return nil }
        return "the uplink lost packets that the profile did not lose (\(down.lostPackets) toward "
            + "the command, \(up.lostPackets) from it): they came faster than this machine could "
            + "carry them; larger values of net.core.rmem_max and net.core.wmem_max give it room"
    }
}
