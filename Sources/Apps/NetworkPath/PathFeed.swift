import LinuxKernel
import Netlink
import Synchronization
import SystemPackage

/// What one loop over the paths listens to: a thread that waits for the kernel, and ends when
/// this object goes.
final class PathFeed: Sendable {
    private let mailbox = PathMailbox()
    private let watch: PathWatch?
    private let thread: KernelThread?

    /// Starts to watch the network namespace behind a descriptor, or for nil that of the calling
    /// thread.
    init(requirements: NetworkRequirements = .none, namespace: FileDescriptor? = nil) {
        let mailbox = mailbox
        do {
            let watch = try PathWatch(namespace: namespace)
            let thread = try KernelThread(named: "network path") {
                do {
                    try watch.run { path in
                        mailbox.put(path.limited(to: requirements))
                        return true
                    }
                } catch {
                    mailbox.finish(NetworkPathError(error))
                }
            }
            (self.watch, self.thread) = (watch, thread)
        } catch {
            (watch, thread) = (nil, nil)
            mailbox.finish(.unwatchable("\(error)"))
        }
    }

    deinit {
        watch?.stop()
        thread?.join()
    }

    /// The next path that differs from the one before; nil once the task is cancelled.
    func next() async throws(NetworkPathError) -> NetworkPath? {
        let mailbox = mailbox
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { mailbox.take($0) }
        } onCancel: {
            mailbox.finish(nil)
        }
        return try result.get()
    }
}

/// Where the thread leaves the newest path for the loop.
private final class PathMailbox: Sendable {
    typealias Delivery = Result<NetworkPath?, NetworkPathError>

    private struct State {
        var last: NetworkPath?
        var pending: NetworkPath?
        var end: Delivery?
        var reader: CheckedContinuation<Delivery, Never>?
    }

    private let state = Mutex(State())

    /// Leaves a path. One that the reader already has takes back what it would have got.
    func put(_ path: NetworkPath) {
        let reader = state.withLock { state -> CheckedContinuation<Delivery, Never>? in
            guard path != state.last else {
                state.pending = nil
                return nil
            }
            guard let reader = state.reader.take() else {
                state.pending = path
                return nil
            }
            state.last = path
            return reader
        }
        reader?.resume(returning: .success(path))
    }

    /// There is nothing more: for an error, or because nobody listens.
    func finish(_ error: NetworkPathError?) {
        let end: Delivery = error.map { .failure($0) } ?? .success(nil)
        let reader = state.withLock { state in
            if state.end == nil { state.end = end }
            return state.reader.take()
        }
        reader?.resume(returning: end)
    }

    /// Gives the next path to `reader`, at once or when there is one.
    func take(_ reader: CheckedContinuation<Delivery, Never>) {
        let delivery = state.withLock { state -> Delivery? in
            if let end = state.end {
                // An error is told once; what comes behind the end is nothing.
                state.end = .success(nil)
                return end
            }
            guard let path = state.pending.take() else {
                state.reader = reader
                return nil
            }
            state.last = path
            return .success(path)
        }
        if let delivery { reader.resume(returning: delivery) }
    }
}
