public import LinuxKernel

/// What linkcond keeps of a host, while no other process of its own changes anything there.
public struct HostState: Sendable {
    private let found: Result<StateDirectory, KernelError>

    /// The directory for what a later process has to know; throws if the caller may not write any.
    public var directory: StateDirectory {
        get throws(KernelError) { try found.get() }
    }

    /// Waits until no other process changes conditions, and keeps all of them out meanwhile.
    ///
    /// Without the right to write files there is nobody to keep out: whoever needs that says so.
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

/// The state with its lock, if there is any to be had.
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
