import Synchronization

extension NetworkPathMonitor {
    /// Waits for a path that meets `requirements` and returns it; immediately if there is one.
    ///
    /// - Parameter timeout: How long to wait; nil: without limit.
    /// - Throws: `NetworkPathError.timedOut` with the unmet requirements, or another
    ///   `NetworkPathError`; `CancellationError` if the task is cancelled.
    public func waitUntilSatisfied(
        _ requirements: NetworkRequirements = .none, timeout: Duration? = nil
    ) async throws -> NetworkPath {
        let last = LastPath()
        return try await withThrowingTaskGroup(of: NetworkPath.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                for try await path in self {
                    guard !path.satisfies(requirements) else { return path }
                    last.path.withLock { $0 = path }
                }
                throw CancellationError()
            }
            if let timeout {
                group.addTask {
                    try await Task.sleep(for: timeout)
                    let path = last.path.withLock { $0 }
                    throw NetworkPathError.timedOut(
                        path, path?.reasonsUnsatisfied(by: requirements) ?? [])
                }
            }
            guard let path = try await group.next() else { throw CancellationError() }
            return path
        }
    }

    /// The latest path that does not suffice.
    private final class LastPath: Sendable {
        let path = Mutex<NetworkPath?>(nil)
    }
}
