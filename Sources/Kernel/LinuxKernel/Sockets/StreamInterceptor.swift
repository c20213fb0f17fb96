import CLinux
public import SystemPackage

/// Gives programs sockets of Multipath TCP where they ask for TCP.
///
/// The kernel holds the programs' calls of `socket(2)` up until this process has answered them
/// (`seccomp_unotify(2)`), so that all programs take part, whatever C library they have, and
/// those that have none. A program that asks for more than that kind of socket can do is told so
/// by the kernel, as by any other.
///
/// A call that waits to be received fails with `EINTR` if a signal comes whose handler restarts no
/// calls (`SA_RESTART`); one that was received does not (Linux 5.19). So there are threads that do
/// nothing but receive, and never wait for an answer that is being made.
public final class StreamInterceptor: Sendable {
    private let requests: OwnedDescriptor
    /// Those that were received.
    private let queue: PipeEnds
    private let namespaces: [lc_namespace]

    /// From now on the calling thread, and whoever it starts in one of these network namespaces,
    /// asks this interceptor, which has to be served from then on.
    ///
    /// Takes `CAP_SYS_ADMIN` in the thread's user namespace, and Linux 5.14.
    public init(in namespaces: [FileDescriptor]) throws(KernelError) {
        self.namespaces = try namespaces.map { descriptor throws(KernelError) in
            var found = lc_namespace()
            let status = unsafe lc_identify_namespace(descriptor.rawValue, &found)
            guard status == 0 else {
                throw KernelError(
                    .open, subject: "the network namespace", errno: Errno(rawValue: -status))
            }
            return found
        }
        queue = try PipeEnds()
        requests = try OwnedDescriptor(
            lc_intercept_streams(), creating: "a filter of system calls")
    }

    /// Receives requests until there is nobody left who could make one.
    ///
    /// Two threads do this best: one is there while the other passes a request on. They go before
    /// others where they may.
    public func receive() {
        KernelThread.makeCallingThreadPunctual()
        while lc_pass_stream_request_on(requests.number, queue.writer.rawValue) >= 0 {}
    }

    /// Answers the requests that were received, for as long as the process lives.
    ///
    /// The calling thread goes to the namespaces of those who ask, over which it needs privileges.
    public func answer() {
        while unsafe lc_answer_stream_request(
            requests.number, queue.reader.rawValue, namespaces, Int32(namespaces.count)) >= 0
        {}
    }
}

/// Whether the kernel speaks Multipath TCP.
public enum MultipathSupport {
    /// Asks for a socket of it in the calling thread's network namespace.
    ///
    /// Throws `Errno.protocolNotSupported` if the kernel was built without it, and
    /// `Errno.protocolNotAvailable` if it is switched off in the namespace.
    public static func check() throws(Errno) { try checked(lc_probe_multipath()) }
}
