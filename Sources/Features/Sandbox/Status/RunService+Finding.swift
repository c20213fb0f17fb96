import LinuxKernel

extension RunService {
    /// A process in the network of a run's command, given the process of `linkcond run`; nil if
    /// `process` is another, or its command does not run.
    public static func processInside(runOf process: Int32) -> Int32? {
        guard HostNames.text(of: "/proc/\(process)/comm") == "linkcond\n" else { return nil }
        // Below it is the first process, which has the command for a child. Between the two is, without
        // root, the process that made the user namespace.
        let others = children(of: process).flatMap(children)
        return (others + others.flatMap(children)).first(where: isServed)
    }

    private static func children(of process: Int32) -> [Int32] {
        // The kernel lists them by the thread that made them.
        SmallFile.names(in: "/proc/\(process)/task").flatMap { thread in
            let text = HostNames.text(of: "/proc/\(process)/task/\(thread)/children") ?? ""
            return text.split(separator: " ").compactMap { Int32($0) }
        }
    }

    /// Whether the service is in the network of a process.
    private static func isServed(_ process: Int32) -> Bool {
        let sockets = HostNames.text(of: "/proc/\(process)/net/unix") ?? ""
        return sockets.split(separator: "\n").contains { $0.hasSuffix(" @\(name)") }
    }
}
