import CLinux
import Glibc
public import SystemPackage

/// Waits for descriptors.
public enum Readiness {
    /// Waits until a descriptor is writable or its reader is gone; false after `timeout`.
    public static func isWritable(_ descriptor: FileDescriptor, within timeout: Duration) -> Bool {
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, Int32(clamping: Int(timeout / .milliseconds(1)))) > 0
    }

    /// Waits until some of `descriptors` are readable or closed at the other end, and returns
    /// those; none after `timeout` (nil: no timeout).
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

    /// Waits until one of `descriptors` is readable, or until `deadline` by
    /// `KernelClock.monotonic`, to the nanosecond; returns whether one is.
    ///
    /// Equivalent to `ppoll(2)`, but not interrupted by signals.
    public static func wait(for descriptors: [FileDescriptor], until deadline: Duration) -> Bool {
        var entries = descriptors.map {
            pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0)
        }
        return unsafe lc_poll_until(&entries, UInt(entries.count), deadline.cNanoseconds) > 0
    }

    /// Waits in the same way for one of `events` of a descriptor, such as `POLLOUT`; throws
    /// `Errno.timedOut` if none has come by `deadline`.
    static func expect(
        _ events: Int32, of descriptor: FileDescriptor, until deadline: Duration
    ) throws(Errno) {
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(events), revents: 0)
        let count = try checked(unsafe lc_poll_until(&entry, 1, deadline.cNanoseconds))
        guard count > 0 else { throw .timedOut }
    }

    /// Waits for something to read, and reads it: empty at the end; nil if nothing comes before
    /// `deadline`.
    public static func read(
        from descriptor: FileDescriptor, atMost limit: Int = 4096,
        until deadline: ContinuousClock.Instant
    ) -> [UInt8]? {
        // A signal may interrupt the wait.
        repeat {
            guard !wait(for: [descriptor], timeout: deadline - .now).isEmpty else { continue }
            var buffer = [UInt8](repeating: 0, count: limit)
            let count = (try? descriptor.readSome(into: &buffer)) ?? 0
            return Array(buffer.prefix(count))
        } while .now < deadline
        return nil
    }
}

extension Duration {
    /// The time for poll(2), 24 days at most; rounded up, since waking early would mean waiting
    /// again.
    var pollMilliseconds: Int32 {
        Int32(max(0, min((self / .milliseconds(1)).rounded(.up), Double(Int32.max))))
    }
}
