import CLinux
import Synchronization

/// Lets a thread sleep until a frame arrives, a time is reached, or another thread wakes it.
///
/// The time uses a timerfd, which alone is exact whatever the timer slack of the thread.
public final class Alarm: Sendable {
    private let timer: OwnedDescriptor
    private let event: OwnedDescriptor
    private let epoll: OwnedDescriptor
    private let armed = Atomic<Int64>(0)

    /// Makes an alarm for the frames of `receiver`, which the caller keeps open as long.
    public init(for receiver: borrowing PacketReceiver) throws(KernelError) {
        timer = try OwnedDescriptor(lc_timer_create(), creating: "a timer")
        event = try OwnedDescriptor(lc_event_create(), creating: "an event descriptor")
        epoll = try OwnedDescriptor(
            unsafe lc_wait_create(
                receiver.descriptors, Int32(receiver.descriptors.count), timer.number,
                event.number),
            creating: "an epoll descriptor")
    }

    /// Waits until a frame arrives, another thread rings, or `moment` of `KernelClock.monotonic` is
    /// reached. It may return early. Only one thread may call it.
    ///
    /// - Returns: whether there may be a frame.
    @discardableResult
    public func wait(until moment: Duration?) -> Bool {
        var armed = armed.load(ordering: .relaxed)
        let deadline = moment.map { max(1, $0.cNanoseconds) } ?? 0
        let result = unsafe lc_wait(epoll.number, timer.number, event.number, deadline, &armed)
        self.armed.store(armed, ordering: .relaxed)
        return result != 0
    }

    /// Wakes the thread that waits now or next. Any thread may call it.
    public func ring() {
        _ = lc_event_signal(event.number)
    }
}
