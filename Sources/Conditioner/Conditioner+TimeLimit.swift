import FoundationEssentials
public import LinuxKernel
import SystemPackage

extension Conditioner {
    /// What is wrong with a time limit that nobody will keep.
    public func problem(with limit: TimeLimit) -> String? {
        switch WatcherFile.life(of: limit.watcher, environment) {
        case .alive: return nil
        case .gone: break
        case .unknown:
            // The clearing itself takes a moment.
            guard let until = limit.until, until + 5 < Int64(Date().timeIntervalSince1970) else {
                return nil
            }
        }
        return "the process that was to end this is gone; it stays until linkcond clear"
    }

    /// Ends watchers that have nothing left to end in this namespace.
    public func dismissWatchers(_ watchers: Set<String>) throws(ConditionerError) {
        try dismissWatchers(watchers, ExclusiveAccess(environment: environment))
    }

    /// Whether there is anything for a watcher to end.
    public func hasConditions(endedBy watcher: String) throws(ConditionerError) -> Bool {
        try !marks(endedBy: watcher).isEmpty
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
        try SmallFile.makeDirectory("\(directory.path)/watchers")
        lock = try FileLock(showingOwnerAt: "\(directory.path)/\(name)")
    }

    /// Leaves nothing behind: the work is done. Without it `status` finds that the watcher ended
    /// before.
    public func leave() {
        directory.remove(name)
    }
}
