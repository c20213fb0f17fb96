extension NetworkPath {
    /// Calls `body` with the path of the calling thread's network namespace, and again with every
    /// new path, until `body` returns false or throws.
    ///
    /// For programs without Swift concurrency; others use `NetworkPathMonitor`.
    public static func watch(
        limitedTo requirements: NetworkRequirements = .none,
        _ body: (NetworkPath) throws -> Bool
    ) throws {
        var last: NetworkPath?
        try PathWatch().run { path in
            let path = path.limited(to: requirements)
            guard path != last else { return true }
            last = path
            return try body(path)
        }
    }
}
