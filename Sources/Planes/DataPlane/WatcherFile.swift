import FoundationEssentials
public import LinuxKernel
import SystemPackage

/// The files on which watchers hold locks: so it is known whether they live.
public enum WatcherFile {
    /// Whether a watcher lives.
    enum Life: Hashable {
        case alive(process: Int32)
        case gone
        /// There is no file: it was started where other files are seen, such as in a container.
        case unknown
    }

    static let directoryName = "watchers"

    /// The file's name in a state directory.
    static func name(of watcher: String) -> String { "\(directoryName)/\(watcher)" }

    /// By such a file `status` and `override show` know that a watcher was killed, in whatever
    /// namespace what it was to end still stands. So it is kept for an hour, in seconds.
    private static let keepingTime: Int64 = 3600

    /// Removes the files of watchers that were killed. Not for a watcher: its own looks like one.
    public static func removeAbandoned(in directory: StateDirectory) {
        let limit = Int64(Date().timeIntervalSince1970) - keepingTime
        for watcher in directory.names(in: directoryName) {
            let name = name(of: watcher)
            guard let time = directory.modificationTime(of: name), time < limit else { continue }
            do {
                guard try FileLock.owner(at: directory.path(of: name)) == nil else { continue }
                directory.remove(name)
            } catch {
                // It has ended meanwhile, or cannot be asked.
            }
        }
    }

    /// Whether the watcher lives, as far as the files at hand tell.
    static func life(of watcher: String, _ environment: [String: String]) -> Life {
        for directory in StateDirectory.existing(environment: environment) {
            let path = directory.path(of: name(of: watcher))
            do {
                guard let owner = try FileLock.owner(at: path) else { return .gone }
                return .alive(process: owner)
            } catch {
                continue
            }
        }
        return .unknown
    }

    /// Ends watchers that have nothing left to end.
    public static func dismiss(_ watchers: Set<String>, _ environment: [String: String]) {
        guard !watchers.isEmpty, let directory = try? StateDirectory(environment: environment)
        else { return }
        for watcher in watchers {
            let path = directory.path(of: name(of: watcher))
            // One of a process namespace that is not seen from here has no number.
            if let owner = try? FileLock.owner(at: path), owner > 1 {
                Process.terminate(owner)
            }
            directory.remove(name(of: watcher))
        }
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

extension TimeLimit {
    /// What is wrong with a limit that nobody will keep; nil if all is well.
    public func problem(_ environment: [String: String]) -> String? {
        // The clearing itself takes a moment.
        let isOverdue = until.map { $0 + 5 < Int64(Date().timeIntervalSince1970) } ?? false
        switch WatcherFile.life(of: watcher, environment) {
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
}
