import CLinux
public import SystemPackage

/// Gives programs Multipath TCP sockets when they ask for TCP sockets.
///
/// The kernel suspends each `socket(2)` call of the programs until this process has answered it
/// (`seccomp_unotify(2)`). This works for all programs, whatever their C library, even without one.
/// If a program asks for more than such a socket supports, the kernel reports that as usual.
///
/// A call that was not received yet fails with `EINTR` on a signal whose handler does not restart
/// calls (`SA_RESTART`); a received one does not (Linux 5.19). So dedicated threads do nothing but
/// receive, and never wait for an answer.
public final class StreamInterceptor: Sendable {
    private let requests: OwnedDescriptor
    /// The received requests.
    private let queue: PipeEnds
    private let namespaces: [lc_namespace]

    /// Makes the calling thread, and the processes that it starts in one of these network
    /// namespaces, ask this interceptor, which must be served from then on.
    ///
    /// Requires `CAP_SYS_ADMIN` in the thread's user namespace, and Linux 5.14.
    public init(in namespaces: [FileDescriptor]) throws(KernelError) {
        self.namespaces = try namespaces.map { descriptor throws(KernelError) in
            var found = lc_namespace()
            try checked(
                unsafe lc_identify_namespace(descriptor.rawValue, &found), .open,
                "the network namespace")
            return found
        }
        queue = try PipeEnds()
        requests = try OwnedDescriptor(
            lc_intercept_streams(), creating: "a filter of system calls")
    }

    /// Receives requests until no process is left that could make one.
    ///
    /// Best done by two threads: one receives while the other passes a request on. They run at a
    /// higher priority where permitted.
    public func receive() {
        KernelThread.makeCallingThreadPunctual()
        while lc_pass_stream_request_on(requests.number, queue.writer.rawValue) >= 0 {}
    }

    /// Answers the received requests, for as long as the process lives.
    ///
    /// The calling thread moves to the namespaces of the asking threads, which requires privileges
    /// there.
    public func answer() {
        while unsafe lc_answer_stream_request(
            requests.number, queue.reader.rawValue, namespaces, Int32(namespaces.count)) >= 0
        {}
    }
}

/// Whether the kernel supports Multipath TCP.
public enum MultipathSupport {
    /// Tries to create such a socket in the calling thread's network namespace.
    ///
    /// Throws `Errno.protocolNotSupported` if the kernel was built without it, and
    /// `Errno.protocolNotAvailable` if it is switched off in the namespace.
    public static func check() throws(Errno) { try checked(lc_probe_multipath()) }
}
