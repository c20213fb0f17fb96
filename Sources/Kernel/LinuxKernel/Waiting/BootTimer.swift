import CLinux
public import SystemPackage

/// A moment as something to wait for. While the machine sleeps, time passes as well.
public final class BootTimer: Sendable {
    private let owned: OwnedDescriptor

    /// Begins to count (`timerfd_create(2)` with `CLOCK_BOOTTIME`).
    public init(endingIn duration: Duration) throws(KernelError) {
        let (seconds, attoseconds) = duration.components
        owned = try OwnedDescriptor(
            lc_boot_timer_create(seconds, Int(attoseconds / 1_000_000_000)), creating: "a timer")
    }

    /// What to wait on: it has something to read once the moment has come.
    public var descriptor: FileDescriptor { owned.raw }
}
