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
        let held = try HeldState(environment)
        defer { withExtendedLifetime(held) {} }
        return try body(held.state)
    }

    fileprivate init(_ found: Result<StateDirectory, KernelError>) {
        self.found = found
    }
}

/// The state with its lock, if available.
private struct HeldState: ~Copyable {
    let state: HostState
    private let lock: FileLock?

    init(_ environment: [String: String]) throws(KernelError) {
        do {
            let directory = try StateDirectory(environment: environment)
            lock = try directory.lock("lock")
            state = HostState(.success(directory))
        } catch {
            guard error.isMissingPrivilege else { throw error }
            lock = nil
            state = HostState(.failure(error))
        }
    }
}
