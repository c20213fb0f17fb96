import Dispatch
import Glibc
import Synchronization

/// The user's wish to sign out, which the system tells the app by SIGTERM.
final class SignOut {
    private let source: any DispatchSourceSignal
    private let wish = Wish()

    private final class Wish: Sendable {
        let isThere = Atomic(false)
    }

    init() {
        signal(SIGTERM, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        source.setEventHandler { [wish] in wish.isThere.store(true, ordering: .relaxed) }
        source.resume()
    }

    /// Whether the user wants to sign out.
    var isRequested: Bool { wish.isThere.load(ordering: .relaxed) }
}
