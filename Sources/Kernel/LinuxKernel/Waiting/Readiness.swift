import CLinux
import Glibc
public import SystemPackage

/// Waiting for descriptors.
public enum Readiness {
    /// Waits until something can be written to a descriptor, or nobody reads there any more; false
    /// if `timeout` passes before.
    public static func isWritable(_ descriptor: FileDescriptor, within timeout: Duration) -> Bool {
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, Int32(clamping: Int(timeout / .milliseconds(1)))) > 0
    }

    /// Waits until one of `descriptors` has something to read or was closed at its other end, and
    /// returns those; none if `timeout` passes before (nil: never).
    ///
    /// Equivalent to `poll(2)`.
    public static func wait(
        for descriptors: [FileDescriptor], timeout: Duration? = nil
    ) -> [FileDescriptor] {
        var entries = descriptors.map {
            pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0)
        }
        let milliseconds = timeout?.pollMilliseconds ?? -1
        let count = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
        guard count > 0 else { return [] }
        return entries.filter { $0.revents != 0 }.map { FileDescriptor(rawValue: $0.fd) }
    }

    /// Waits until one of `descriptors`, 64 at most, has something to read, or until `deadline` by
    /// `KernelClock.monotonic`, to the nanosecond; returns whether one has.
    ///
    /// Equivalent to `ppoll(2)`, and not ended by signals.
    public static func wait(for descriptors: [FileDescriptor], until deadline: Duration) -> Bool {
        let numbers = descriptors.map(\.rawValue)
        return unsafe lc_wait_readable(numbers, Int32(numbers.count), deadline.cNanoseconds) > 0
    }
}

extension Duration {
    /// The time as poll(2) takes it, 24 days at most; rounded up, since waking early would be
    /// waiting again.
    var pollMilliseconds: Int32 {
        Int32(max(0, min((self / .milliseconds(1)).rounded(.up), Double(Int32.max))))
    }
}
