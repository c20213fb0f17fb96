import LinuxKernel

/// The moment from which a loop counts time.
public struct LoopClock: Sendable, Hashable {
    /// The moment on the clock of the machine, which never jumps (`CLOCK_MONOTONIC`).
    public let monotonic: Duration
    /// The same moment since 1970, for those who write down dates (`CLOCK_REALTIME`).
    public let realtime: Duration

    /// A clock that stands at zero now.
    public static func startingNow() -> LoopClock {
        LoopClock(monotonic: KernelClock.monotonic, realtime: KernelClock.realtime)
    }

    /// What the clock says now.
    public var now: Duration { KernelClock.monotonic - monotonic }
}
