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

    /// Loads the program, which nothing holds open yet. Requires `CAP_BPF` and `CAP_NET_ADMIN`,
    /// or before Linux 5.8 `CAP_SYS_ADMIN`.
    public init(mark: UInt32) throws(KernelError) {
        var moment: Int32 = -1
        owned = try OwnedDescriptor(
            unsafe lc_gate_create(mark, &moment), creating: "a program for packets (eBPF)")
        self.moment = OwnedDescriptor(adopting: FileDescriptor(rawValue: moment))
    }

    /// The program.
    public var program: FileDescriptor { owned.raw }

    /// Holds it open for some time from now on.
    public func hold(for duration: Duration) {
        let until = (KernelClock.monotonic + duration) / .nanoseconds(1)
        _ = lc_gate_hold(moment.number, UInt64(max(0, until)))
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
