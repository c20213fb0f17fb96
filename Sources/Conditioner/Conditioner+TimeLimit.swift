import FoundationEssentials
public import LinuxKernel
import SystemPackage

extension Conditioner {
    /// What is wrong with a time limit that nobody will keep.
    public func problem(with limit: TimeLimit) -> String? {
        // The clearing itself takes a moment.
        let isOverdue = limit.until.map { $0 + 5 < Int64(Date().timeIntervalSince1970) } ?? false
        switch WatcherFile.life(of: limit.watcher, environment) {
        case .alive(let process) where Process.isStopped(process):
            return "the process that is to end this is stopped; let it go on with: "
                + "kill -CONT \(process)"
        case .alive(let process):
            guard isOverdue else { return nil }
            return "process \(process), which was to end this, has not done so; "
                + "it stays until linkcond clear"
        case .unknown where !isOverdue: return nil
        case .gone, .unknown:
            return "the process that was to end this is gone; it stays until linkcond clear"
        }
    }

    /// Ends watchers that have nothing left to end in this namespace.
    public func dismissWatchers(_ watchers: Set<String>) throws(ConditionerError) {
        try dismissWatchers(watchers, ExclusiveAccess(environment: environment))
    }

    /// The indexes of the interfaces whose conditions a watcher is to end; some may be gone.
    public func interfaces(endedBy watcher: String) throws(ConditionerError) -> Set<Int32> {
        Set(try marks(endedBy: watcher).map(\.target))
    }
}

/// What a watcher holds as long as it lives: by it `status` knows whether somebody will end the
/// conditions, and `clear` whom to dismiss.
public final class WatcherPost {
    private let directory: StateDirectory
    private let name: String
    private let lock: FileLock

    /// Takes the post of the watcher with this name.
    public init(_ watcher: String, environment: [String: String]) throws(KernelError) {
        directory = try StateDirectory(environment: environment)
        name = WatcherFile.name(of: watcher)
        try SmallFile.makeDirectory(directory.path(of: WatcherFile.directoryName))
        lock = try FileLock(showingOwnerAt: directory.path(of: name))
    }

    /// Leaves nothing behind: the work is done. Without it `status` finds that the watcher ended
    /// before.
    public func leave() {
        directory.remove(name)
    }
}
