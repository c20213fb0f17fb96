import LinuxKernel

/// The state directory while no other linkcond changes anything.
struct ExclusiveAccess: ~Copyable {
    let directory: StateDirectory
    private let lock: FileLock

    /// Waits for the others.
    init(environment: [String: String]) throws(ConditionerError) {
        let directory = try Conditioner.mapping { () throws(KernelError) in
            try StateDirectory(environment: environment)
        }
        lock = try Conditioner.mapping { () throws(KernelError) in try directory.lock("lock") }
        self.directory = directory
    }

    /// Removes what processes have left that were killed.
    borrowing func removeLeftovers() {
        WatcherFile.removeAbandoned(in: directory)
        directory.removePartialFiles(in: "")
        for namespace in directory.names(in: Journal.directoryName) {
            directory.removePartialFiles(in: "\(Journal.directoryName)/\(namespace)")
        }
        SharedParameters.restoreAbandoned(in: directory)
    }
}
