public import LinuxKernel

/// The state that linkcond keeps of a host, while no other linkcond process changes anything there.
public struct HostState: Sendable {
    private let found: Result<StateDirectory, KernelError>

    /// The directory of state for later processes; throws if the caller may not write any.
    public var directory: StateDirectory {
        get throws(KernelError) { try found.get() }
    }

    /// Waits until no other process changes conditions, and then blocks all others.
    ///
    /// A caller that may not write files takes no lock; code that needs the state reports that.
    public static func withLock<Value>(
        _ environment: [String: String], _ body: (HostState) throws -> Value
    ) throws -> Value {
        let directory: StateDirectory
        let lock: FileLock
        do throws(KernelError) {
            directory = try StateDirectory(environment: environment)
            lock = try directory.lock("lock")
        } catch {
            guard error.isMissingPrivilege else { throw error }
            return try body(HostState(found: .failure(error)))
        }
        return try lock.whileHeld { () throws in try body(HostState(found: .success(directory))) }
    }
}
