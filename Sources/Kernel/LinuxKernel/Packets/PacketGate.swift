import CLinux
public import SystemPackage

/// An eBPF program that passes packets on to the filters behind it only while this process holds it
/// open. If the process ends or hangs, packets bypass those filters.
///
/// For a tc filter (`bpf`, `direct-action`). Packets with a mark of the caller's choice always
/// bypass the filters, and lose the mark.
public final class PacketGate: Sendable {
    private let owned: OwnedDescriptor
    private let moment: OwnedDescriptor
    private let lead: Duration

    /// Loads the program, closed at first. Requires `CAP_BPF` and `CAP_NET_ADMIN`, or
    /// `CAP_SYS_ADMIN` before Linux 5.8.
    public init(mark: UInt32) throws(KernelError) {
        var moment: Int32 = -1
        owned = try OwnedDescriptor(
            unsafe lc_gate_create(mark, &moment), creating: "a program for packets (eBPF)")
        self.moment = OwnedDescriptor(adopting: FileDescriptor(rawValue: moment))
        lead = try Self.clockLead()
    }

    /// The descriptor of the program.
    public var program: FileDescriptor { owned.raw }

    /// Holds it open for this long from now on.
    public func hold(for duration: Duration) {
        let until = (KernelClock.monotonic + lead + duration) / .nanoseconds(1)
        _ = lc_gate_hold(moment.number, UInt64(max(0, until)))
    }

    /// How far the clock of eBPF programs is ahead of this process's own clock.
    ///
    /// Time namespaces shift the latter, and a process never changes its time namespace.
    static func clockLead() throws(KernelError) -> Duration {
        var (best, lead) = (Int64.max, Duration.zero)
        // Uses the reading with the shortest interruption.
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

/// An eBPF program that makes packets to a link-layer address count as for this host, as if the
/// interface where they arrive had that address. All of them go on to the filters behind it.
///
/// For the same kind of filter as a `PacketGate`.
public final class PacketClaim: Sendable {
    private let owned: OwnedDescriptor
    private let claimed: OwnedDescriptor

    /// Loads the program for an address of six bytes. Requires the privileges of a `PacketGate`.
    public init(_ address: [UInt8]) throws(KernelError) {
        var claimed: Int32 = -1
        owned = try OwnedDescriptor(
            unsafe lc_claim_create(&claimed), creating: "a program for packets (eBPF)")
        self.claimed = OwnedDescriptor(adopting: FileDescriptor(rawValue: claimed))
        change(to: address)
    }

    /// The descriptor of the program.
    public var program: FileDescriptor { owned.raw }

    /// Claims another address from now on, instead.
    public func change(to address: [UInt8]) {
        let number = address.prefix(6).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        _ = lc_claim_set(claimed.number, number.littleEndian)
    }
}

/// An eBPF program that drops every packet, for the same kind of filter as a `PacketGate`.
public final class PacketDrain: Sendable {
    private let owned: OwnedDescriptor

    /// Loads the program. Requires the privileges of a `PacketGate`.
    public init() throws(KernelError) {
        owned = try OwnedDescriptor(
            lc_drain_create(), creating: "a program for packets (eBPF)")
    }

    /// The descriptor of the program.
    public var program: FileDescriptor { owned.raw }
}
