public import DataPlane
import LinuxKernel

extension TimeLimit {
    /// A limit with its own watcher: after `duration`, or at the exit of a process, whichever comes
    /// first.
    public init(after duration: Duration?, process: Int32?) {
        self.init(
            ends: duration.map { Int64(((KernelClock.boot + $0) / .seconds(1)).rounded(.up)) },
            process: process)
    }
}
