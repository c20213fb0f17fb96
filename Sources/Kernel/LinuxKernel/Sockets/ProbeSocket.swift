import CLinux
import Glibc
public import SystemPackage

/// A probe that has arrived.
public struct ProbeArrival: Sendable, Hashable {
    /// Its number, as the sender counts.
    public let number: UInt32
    /// When it was given to the kernel, since 1970.
    public let sent: Duration
    /// When the kernel took it from the interface, since 1970 (`SO_TIMESTAMPNS`).
    public let received: Duration
    /// Whether each byte is as it was sent; the number and the time mean something only then.
    public let isIntact: Bool
}

/// A UDP socket that sends or receives numbered packets with the time at which they were sent.
///
/// Probes have no checksum, so that a damaged one arrives and is counted. Sender and receiver
/// have to be on one machine, by whose clock the one-way delay is taken.
public struct ProbeSocket: ~Copyable {
    private let descriptor: Int32
    private let family: InternetFamily
    private let subject: String
    private var arrivals = [lc_probe_arrival](repeating: lc_probe_arrival(), count: batch)
    /// How many probes the buffer of the socket had no room for.
    public private(set) var overflows: UInt32 = 0

    private static let batch = 32

    /// The least payload of a probe, in bytes.
    public static let leastPayload = Int(LC_PROBE_HEAD)

    /// Opens a socket on `port` of all addresses; without a port, on any.
    public init(_ family: InternetFamily, port: UInt16 = 0) throws(KernelError) {
        let subject = port == 0 ? "a UDP socket" : "UDP port \(port)"
        let descriptor = lc_probe_open(family.rawValue, port)
        try Self.check(descriptor, .open, subject)
        self.descriptor = descriptor
        self.family = family
        self.subject = subject
    }

    /// Has the socket send to `port` of the numeric `address`.
    public func connect(to address: String, port: UInt16) throws(KernelError) {
        let status = unsafe lc_probe_connect(descriptor, family.rawValue, address, port)
        try Self.check(status, .open, "the way to \(address)")
    }

    /// Sends a probe with `payload` bytes behind the UDP header, stamped with the time.
    ///
    /// - Returns: whether it was sent; the kernel may have no room at present.
    public func send(_ number: UInt32, payload: Int) throws(KernelError) -> Bool {
        let status = lc_probe_send(descriptor, number, Int32(payload))
        try Self.check(status, .write, subject)
        return status == 1
    }

    /// Takes what has arrived, some dozens of probes at most, and does not wait.
    public mutating func receive() throws(KernelError) -> [ProbeArrival] {
        let count = unsafe lc_probe_receive(descriptor, &arrivals, Int32(arrivals.count))
        try Self.check(count, .read, subject)
        return arrivals[..<Int(count)].map { arrival in
            overflows = max(overflows, arrival.overflows)
            return ProbeArrival(
                number: arrival.number, sent: .nanoseconds(arrival.sent),
                received: .nanoseconds(arrival.received), isIntact: arrival.is_intact == 1)
        }
    }

    /// What one waits for; it stays the socket's.
    public var fileDescriptor: FileDescriptor { FileDescriptor(rawValue: descriptor) }

    private static func check(
        _ status: Int32, _ operation: KernelError.Operation, _ subject: String
    ) throws(KernelError) {
        guard status < 0 else { return }
        throw KernelError(operation, subject: subject, errno: Errno(rawValue: -status))
    }

    deinit { close(descriptor) }
}
