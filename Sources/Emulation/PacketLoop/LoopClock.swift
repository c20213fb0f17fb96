import LinuxKernel

/// The start time of a loop, from which its times count.
public struct LoopClock: Sendable, Hashable {
    /// The start time by the clock that never jumps (`CLOCK_MONOTONIC`).
    public let monotonic: Duration
    /// The same time since 1970, for recorded dates (`CLOCK_REALTIME`).
    public let realtime: Duration

    /// A clock that starts at zero now.
    public static func startingNow() -> LoopClock {
        LoopClock(monotonic: KernelClock.monotonic, realtime: KernelClock.realtime)
    }

    /// The time since the start.
    public var now: Duration { KernelClock.monotonic - monotonic }
}
