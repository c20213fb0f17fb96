import LinuxKernel
import Netlink
import Synchronization
import SystemPackage

/// The source of one loop over paths: a thread that waits for the kernel and ends with this object.
final class PathFeed: Sendable {
    private let mailbox = PathMailbox()
    private let watch: PathWatch?
    private let thread: KernelThread?

    /// Watches the network namespace of a file descriptor, or of the calling thread if nil.
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

/// Holds the newest path from the thread for the loop.
private final class PathMailbox: Sendable {
    typealias Delivery = Result<NetworkPath?, NetworkPathError>

    private struct State {
        var last: NetworkPath?
        var pending: NetworkPath?
        var end: Delivery?
        var reader: CheckedContinuation<Delivery, Never>?
    }

    private let state = Mutex(State())

    /// Stores a path. If the reader already has this path, it cancels the one waiting.
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

    /// Ends the feed, with an error or because nobody listens.
    func finish(_ error: NetworkPathError?) {
        let end: Delivery = error.map { .failure($0) } ?? .success(nil)
        let reader = state.withLock { state in
            if state.end == nil { state.end = end }
            return state.reader.take()
        }
        reader?.resume(returning: end)
    }

    /// Delivers the next path to `reader`, immediately or when there is one.
    func take(_ reader: CheckedContinuation<Delivery, Never>) {
        let delivery = state.withLock { state -> Delivery? in
            if let end = state.end {
                // An error is delivered once, then the sequence has ended.
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
