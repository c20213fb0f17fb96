import CLinux
import Glibc
import Synchronization
import SystemPackage

/// A thread that runs one closure and can be waited for.
///
/// It begins in the namespaces of the thread that makes it.
public final class KernelThread: Sendable {
    private let thread: Mutex<pthread_t?>

    /// Starts a thread. `name` is for `ps -T` and debuggers; 15 bytes of it are kept.
    public init(named name: String, _ body: @escaping @Sendable () -> Void) throws(KernelError) {
        let work = unsafe Unmanaged.passRetained(
            Work {
                _ = unsafe lc_thread_set_name(String(name.utf8.prefix(15)) ?? "")
                body()
            })
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                }
                return nil
            }, unsafe work.toOpaque())
        guard status == 0 else {
            unsafe work.release()
            throw KernelError(.create, subject: "a thread", errno: Errno(rawValue: status))
        }
        self.thread = Mutex(thread)
    }

    /// Names the calling thread; the first thread's name is that of the process.
    public static func nameCallingThread(_ name: String) {
        _ = unsafe lc_thread_set_name(String(name.utf8.prefix(15)) ?? "")
    }

    /// Waits until the closure has returned.
    public func join() {
        guard let thread = thread.withLock({ $0.take() }) else { return }
        pthread_join(thread, nil)
    }

    /// Makes the calling thread wake up as punctually as it may: with the smallest timer slack,
    /// and where that is allowed (`CAP_SYS_NICE` on the host) before all ordinary threads.
    ///
    /// - Returns: whether it goes before others (`SCHED_FIFO`).
    @discardableResult
    public static func makeCallingThreadPunctual(isPreferred: Bool = true) -> Bool {
        lc_thread_make_punctual(isPreferred ? 1 : 0) == 1
    }

    /// Whether threads of this process may go before all ordinary ones (`SCHED_FIFO`). Tries it.
    public static var mayPrecede: Bool {
        (try? DedicatedThread.run { makeCallingThreadPunctual() }) == true
    }

    /// Lets the calling thread, which has little to do, go before all others, where that is allowed;
    /// but nobody whom it starts. While it reaps a child it is an ordinary thread.
    public static func letOnlyCallingThreadPrecede() {
        _ = lc_thread_go_first()
    }

    /// Ends `letOnlyCallingThreadPrecede`.
    public static func precedeNoMore() { lc_thread_go_along() }

    /// Lets the calling thread go before ordinary ones, as far as that is allowed, while it builds
    /// what somebody waits for. Children of `Process.fork` inherit it; programs that it starts do not.
    public static func hurry() {
        lc_thread_hurry()
    }

    /// Ends `hurry`. Turns stay short, for this thread and those that it starts: their work is done in
    /// many small steps.
    public static func relax() {
        lc_thread_relax()
    }

    /// Lets threads run that wait for the calling thread's processor.
    public static func yield() { sched_yield() }

    /// From now on a pipe that nobody reads any more is an error for the calling thread that
    /// writes to it, and not the end of the process (`SIGPIPE`).
    public static func outliveBrokenPipes() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Takes the signal that was held back when the calling thread wrote to a pipe that nobody
    /// reads: it ends the process, unless it is ignored.
    public static func takeBrokenPipe() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }
}
