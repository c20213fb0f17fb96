import CLinux
import Glibc
import SystemPackage

/// A thread that works beside the others until its work is done.
public struct BackgroundThread: ~Copyable, Sendable {
    private let thread: pthread_t

    /// Starts `body` on a thread called `name`, of which the kernel keeps 15 characters.
    ///
    /// The thread begins in the namespaces of the one that starts it.
    public init(name: String, _ body: @escaping @Sendable () -> Void) throws(KernelError) {
        let work = unsafe Unmanaged.passRetained(
            Work {
                unsafe lc_name_thread(name)
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
        self.thread = thread
    }

    /// Waits until the work is done.
    public consuming func join() {
        pthread_join(thread, nil)
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }
}
