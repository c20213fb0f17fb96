import Synchronization

/// What the uplink lost of what it should have carried, for want of room or time.
///
/// TCP makes up for it, but with datagrams it counts as loss that no conditions asked for.
public struct UplinkLosses: Sendable, Hashable {
    /// What was lost in one direction.
    public struct Way: Sendable, Hashable {
        /// Datagrams that came faster than they could be read.
        public var unread: UInt64 = 0
        /// Packets that the kernel did not take.
        public var unsent: UInt64 = 0
    }

    /// From the app to the network.
    public var up = Way()
    /// From the network to the app.
    public var down = Way()

    /// Counts from zero.
    public init() {}
}

/// The losses while the relay counts them.
final class LossTally: Sendable {
    private let losses = Mutex(UplinkLosses())

    var counted: UplinkLosses { losses.withLock(\.self) }

    func add(_ count: UInt64 = 1, to field: WritableKeyPath<UplinkLosses, UInt64>) {
        guard count > 0 else { return }
        losses.withLock { $0[keyPath: field] += count }
    }
}
