import LinuxKernel
import Synchronization

/// What lets packets come to the engine only as long as it goes on: whoever holds it open has to do
/// so again and again.
protocol Gate: Sendable {
    /// Holds it open for some time from now on.
    func hold(for duration: Duration)
}

extension PacketGate: Gate {}

/// Holds the gates of tables of nftables open (`HookTable+Gate`).
///
/// The tables see it by frames that come over a wire of theirs. To change the tables each time
/// would be seen by everybody who has to do with nftables.
final class BeaconGate: Gate {
    /// What IEEE 802 leaves to experiments.
    static let networkProtocol: UInt16 = 0x88b5

    private let sender: BeaconSender
    private let ends = Mutex<[Int32]>([])

    init() throws(KernelError) {
        sender = try BeaconSender(protocol: Self.networkProtocol)
    }

    /// Says by which interfaces it shows itself from now on, and does so.
    func point(at names: [String]) {
        let indices = names.compactMap { BeaconSender.index(of: $0) }
        ends.withLock { $0 = indices }
        hold(for: Heartbeat.limit)
    }

    /// How long it lasts is in the tables.
    func hold(for duration: Duration) {
        for end in ends.withLock({ $0 }) { sender.send(by: end) }
    }
}
