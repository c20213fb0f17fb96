public import SystemPackage

/// The limits of how many processes and threads there may be.
public enum ProcessLimit {
    /// How to resolve `reason`, for which none could be started, if it is a limit, as the end of a
    /// sentence.
    public static func hint(_ reason: Errno) -> String {
        guard reason == .resourceTemporarilyUnavailable else {
            return DescriptorLimit.hint(reason)
        }
        // A thread needs addresses for its stack.
        let addresses = MemoryLimit.addressSpace == nil ? "" : "ulimit -v, "
        return "; there may be no more processes and threads here, allow more with ulimit -u, "
            + "\(addresses)or in pids.max of the control group"
    }
}
