import CLinux
public import SystemPackage

/// A timer that also runs while the machine is suspended.
public final class BootTimer: Sendable {
    private let owned: OwnedDescriptor

    /// Starts the timer (`timerfd_create(2)` with `CLOCK_BOOTTIME`).
    public init(endingIn duration: Duration) throws(KernelError) {
        let (seconds, attoseconds) = duration.components
        owned = try OwnedDescriptor(
            lc_boot_timer_create(seconds, Int(attoseconds / 1_000_000_000)), creating: "a timer")
    }

    /// The descriptor, for waiting: readable once the time has come.
    public var descriptor: FileDescriptor { owned.raw }
}
