import CLinux
import Glibc
public import SystemPackage

/// Signals as something to wait for beside other descriptors.
public struct SignalDescriptor: Sendable {
    /// A signal that has arrived.
    public struct Arrival: Sendable, Hashable {
        /// Its number.
        public let number: Int32
        /// Whether a process sent it, rather than the kernel, as for Ctrl-C at a terminal.
        public let wasSent: Bool

        /// Whether the terminal has sent it to the others of the process's group, too. Of a hangup the
        /// kernel tells the leader of the session alone, who is expected to end.
        public var reachesGroup: Bool {
            !wasSent && !(number == SIGHUP && getsid(0) == getpid())
        }
    }

    /// What to wait on.
    public let descriptor: FileDescriptor

    /// From now on the signals of these numbers do nothing but show here. A hangup that is ignored, as
    /// below nohup(1), stays ignored.
    ///
    /// Before any thread is started: each has the choice of signals of the one that starts it.
    public init(_ numbers: [Int32]) throws(KernelError) {
        let number = try checked(
            unsafe lc_open_signals(numbers, Int32(numbers.count)), .create, "a signal descriptor")
        descriptor = FileDescriptor(rawValue: number)
    }

    /// The next signal, or nil if none has arrived.
    public func next() -> Arrival? {
        var signal = lc_signal()
        guard unsafe lc_read_signal(descriptor.rawValue, &signal) == 1 else { return nil }
        return Arrival(number: signal.number, wasSent: signal.was_sent == 1)
    }
}
