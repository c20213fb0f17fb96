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
        lock = try Conditioner.mapping { () throws(KernelError) in
            try FileLock(path: directory.lock)
        }
        self.directory = directory
    }
}
