import Synchronization

/// What other threads want of an exchange at once. libcurl may pass on many megabytes before the
/// client's thread sees its orders again.
final class Brake: Sendable {
    private let isPausedNow = Atomic(false)
    private let isCancelledNow = Atomic(false)

    /// Whether nothing more may be sent or received for now.
    var isPaused: Bool { isPausedNow.load(ordering: .acquiring) }

    /// Whether nothing more may be sent or received at all.
    var isCancelled: Bool { isCancelledNow.load(ordering: .acquiring) }

    /// Stops sending and receiving, or allows it.
    func setPaused(_ isPaused: Bool) { isPausedNow.store(isPaused, ordering: .releasing) }

    /// Stops it for good.
    func cancel() { isCancelledNow.store(true, ordering: .releasing) }
}
