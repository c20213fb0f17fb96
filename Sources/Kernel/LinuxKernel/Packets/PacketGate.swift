import CLinux
public import SystemPackage

/// A program in the kernel that lets packets meet the filters behind it only as long as this
/// process holds it open. However the process ends, or if it stands still, packets pass.
///
/// For a filter of tc (`bpf`, `direct-action`). Packets with a mark of the caller's choice always
/// pass, and lose the mark.
public final class PacketGate: Sendable {
    private let owned: OwnedDescriptor
    private let moment: OwnedDescriptor
    private let lead: Duration

    /// Loads the program, which nothing holds open yet. Requires `CAP_BPF` and `CAP_NET_ADMIN`,
    /// or before Linux 5.8 `CAP_SYS_ADMIN`.
    public init(mark: UInt32) throws(KernelError) {
        var moment: Int32 = -1
        owned = try OwnedDescriptor(
            unsafe lc_gate_create(mark, &moment), creating: "a program for packets (eBPF)")
        self.moment = OwnedDescriptor(adopting: FileDescriptor(rawValue: moment))
        lead = try Self.clockLead()
    }

    /// The program.
    public var program: FileDescriptor { owned.raw }

    /// Holds it open for some time from now on.
    public func hold(for duration: Duration) {
        let until = (KernelClock.monotonic + lead + duration) / .nanoseconds(1)
        _ = lc_gate_hold(moment.number, UInt64(max(0, until)))
    }

    /// How far the clock of programs in the kernel is ahead of this process's own.
    ///
    /// Time namespaces shift the latter, and a process never changes the one it is in.
    static func clockLead() throws(KernelError) -> Duration {
        var (best, lead) = (Int64.max, Duration.zero)
        // The reading that was interrupted least.
        for _ in 0..<5 {
            var (before, time, after): (Int64, Int64, Int64) = (0, 0, 0)
            let status = unsafe lc_gate_clock(&before, &time, &after)
            guard status >= 0 else {
                throw KernelError(
                    .read, subject: "the clock of programs for packets (eBPF)",
                    errno: Errno(rawValue: -status))
            }
            guard after - before < best else { continue }
            (best, lead) = (after - before, .nanoseconds(time - (before + after) / 2))
        }
        return lead
    }
}

/// A program in the kernel that drops every packet, for a filter as that of a `PacketGate`.
public final class PacketDrain: Sendable {
    private let owned: OwnedDescriptor

    /// Loads the program, with the privileges that a `PacketGate` takes.
    public init() throws(KernelError) {
        owned = try OwnedDescriptor(
            lc_drain_create(), creating: "a program for packets (eBPF)")
    }

    /// The program.
    public var program: FileDescriptor { owned.raw }
}
