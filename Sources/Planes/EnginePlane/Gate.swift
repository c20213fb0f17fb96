import LinuxKernel
import Synchronization

/// Passes packets to the engine only while it keeps running: the gate must be held open again and
/// again.
protocol Gate: Sendable {
    /// Holds it open for this long from now on.
    func hold(for duration: Duration)
}

extension PacketGate: Gate {}

/// Holds the gates of nftables tables open (`HookTable+Gate`).
///
/// The tables notice frames that arrive over a veth pair of their own. Changing the tables each
/// time would notify everybody who monitors nftables.
final class BeaconGate: Gate {
    /// An EtherType that IEEE 802 reserves for experiments.
    static let networkProtocol: UInt16 = 0x88b5

    private let sender: BeaconSender
    private let ends = Mutex<[Int32]>([])

    init() throws(KernelError) {
        sender = try BeaconSender(protocol: Self.networkProtocol)
    }

    /// Sends beacons on these interfaces from now on, starting immediately.
    func point(at names: [String]) {
        let indices = names.compactMap { BeaconSender.index(of: $0) }
        ends.withLock { $0 = indices }
        hold(for: Heartbeat.limit)
    }

    /// The tables define how long it lasts.
    func hold(for duration: Duration) {
        for end in ends.withLock({ $0 }) { sender.send(by: end) }
    }
}
