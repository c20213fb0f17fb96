import CLinux
import Synchronization

/// What a thread sleeps on until a frame comes, a moment is reached, or another thread calls.
///
/// The moment is that of a timerfd: it alone is exact whatever the slack of the thread is.
public final class Alarm: Sendable {
    private let timer: OwnedDescriptor
    private let event: OwnedDescriptor
    private let epoll: OwnedDescriptor
    private let armed = Atomic<Int64>(0)

    /// Makes an alarm for what `receiver` gets, which the caller keeps open as long.
    public init(for receiver: borrowing PacketReceiver) throws(KernelError) {
        timer = try OwnedDescriptor(lc_timer_create(), creating: "a timer")
        event = try OwnedDescriptor(lc_event_create(), creating: "an event descriptor")
        epoll = try OwnedDescriptor(
            unsafe lc_wait_create(
                receiver.descriptors, Int32(receiver.descriptors.count), timer.number,
                event.number),
            creating: "an epoll descriptor")
    }

    /// Waits until a frame is there, somebody rings, or `moment` of `KernelClock.monotonic` is
    /// reached. It may return early. To be called by one thread only.
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

    /// Wakes the thread that waits, or that will wait next. Any thread may call it.
    public func ring() {
        _ = lc_event_signal(event.number)
    }
}
