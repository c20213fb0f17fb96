import CLinux
public import SystemPackage

/// Waits for many descriptors at once. Equivalent to `epoll(7)`.
public struct EventQueue: ~Copyable, Sendable {
    /// What a descriptor is ready for.
    public struct Event: Sendable, Hashable {
        /// The token that the descriptor was registered with.
        public let token: UInt64
        /// Whether a read would return data, the end, or an error.
        public let isReadable: Bool
        /// Whether a write would accept data or return an error.
        public let isWritable: Bool
    }

    /// How events are reported.
    public enum Trigger: Sendable {
        /// While there is something to read.
        case level
        /// Once each time the descriptor becomes readable or writable.
        case edge
    }

    private let owned: OwnedDescriptor
    private static let capacity = 128

    /// Readable when there is an event.
    public var descriptor: FileDescriptor { owned.raw }

    /// Makes a queue that watches nothing.
    public init() throws(Errno) {
        owned = try OwnedDescriptor(status: lc_event_queue())
    }

    /// Watches `descriptor` until it is closed.
    public borrowing func watch(
        _ descriptor: FileDescriptor, token: UInt64, _ trigger: Trigger
    ) throws(Errno) {
        try checked(
            lc_watch(
                owned.raw.rawValue, descriptor.rawValue, token,
                trigger == .edge ? 1 : 0))
    }

    /// Watches a descriptor no more. Closing it is enough, unless other processes have its file.
    public borrowing func unwatch(_ descriptor: FileDescriptor) {
        _ = lc_unwatch(owned.raw.rawValue, descriptor.rawValue)
    }

    /// Waits for events; returns none after `timeout`, or after a signal.
    ///
    /// - Parameter timeout: nil to wait without limit.
    public borrowing func wait(timeout: Duration?) throws(Errno) -> [Event] {
        let milliseconds = timeout?.pollMilliseconds ?? -1
        var tokens = [UInt64](repeating: 0, count: Self.capacity)
        var meanings = [UInt8](repeating: 0, count: Self.capacity)
        let count = try checked(
            unsafe lc_wait_events(
                owned.raw.rawValue, &tokens, &meanings, Int32(Self.capacity), milliseconds))
        return (0..<Int(count)).map { index in
            Event(
                token: tokens[index], isReadable: meanings[index] & 1 != 0,
                isWritable: meanings[index] & 2 != 0)
        }
    }
}

/// Lets one thread wake another that waits in an `EventQueue`. Equivalent to `eventfd(2)`.
public struct WakeUp: ~Copyable, Sendable {
    private let owned: OwnedDescriptor

    /// Readable after `signal()`.
    public var descriptor: FileDescriptor { owned.raw }

    /// Makes one that is not signalled.
    public init() throws(Errno) {
        owned = try OwnedDescriptor(status: lc_event_create())
    }

    /// Wakes the waiting thread.
    public borrowing func signal() {
        _ = lc_event_signal(owned.raw.rawValue)
    }
}
