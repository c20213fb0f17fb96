import LinkModel
import Synchronization

/// Counts the relay's losses.
final class LossTally: Sendable {
    private let losses = Mutex(UplinkLosses())

    var counted: UplinkLosses { losses.withLock(\.self) }

    func add(_ count: UInt64 = 1, to field: WritableKeyPath<UplinkLosses, UInt64>) {
        guard count > 0 else { return }
        losses.withLock { $0[keyPath: field] += count }
    }
}
