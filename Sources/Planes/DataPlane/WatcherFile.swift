public import LinuxKernel
import SystemPackage

/// The files that watchers keep locked, which shows that they are alive.
public enum WatcherFile {
    /// Whether a watcher is alive.
    enum Life: Hashable {
        case alive(process: Int32)
        case gone
        /// There is no file: the watcher was started where other files are visible, such as in a
        /// container.
        case unknown
    }

    static let directoryName = "watchers"

    /// The file's name in a state directory.
    static func name(of watcher: String) -> String { "\(directoryName)/\(watcher)" }

    /// How long the file of a killed watcher is kept. Meanwhile it tells `status` and
    /// `override show`, in every namespace, that the watcher was killed.
    private static let keepingTime = Duration.seconds(3600)

    /// Removes the files of killed watchers. Not for use in a watcher: its own file looks like one.
    public static func removeAbandoned(in directory: StateDirectory) {
        let limit = KernelClock.realtime - keepingTime
        for watcher in directory.names(in: directoryName) {
            let name = name(of: watcher)
            guard let time = directory.modificationTime(of: name), time < limit else { continue }
            do {
                guard try FileLock.owner(at: directory.path(of: name)) == nil else { continue }
                directory.remove(name)
            } catch {
                // It has ended meanwhile, or cannot be checked.
            }
        }
    }

    /// Whether the watcher is alive, according to the available files.
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
            // A process in an invisible PID namespace has no ID.
            if let owner = try? FileLock.owner(at: path), owner > 1 {
                Process.terminate(owner)
            }
            directory.remove(name(of: watcher))
        }
    }
}

/// The lock that a watcher holds while it lives: it tells `status` whether the conditions will end,
/// and `clear` which process to end.
public final class WatcherPost {
    private let directory: StateDirectory
    private let name: String
    private let lock: FileLock

    /// Takes the lock of the watcher with this name.
    public init(_ watcher: String, environment: [String: String]) throws(KernelError) {
        directory = try StateDirectory(environment: environment)
        name = WatcherFile.name(of: watcher)
        try SmallFile.makeDirectory(directory.path(of: WatcherFile.directoryName))
        lock = try FileLock(showingOwnerAt: directory.path(of: name))
    }

    /// Removes the file when the work is done. Otherwise `status` would report that the watcher
    /// ended early.
    public func leave() {
        directory.remove(name)
    }
}

extension TimeLimit {
    /// The problem of a limit that no watcher will enforce; nil if there is none.
    public func problem(_ environment: [String: String]) -> String? {
        // Clearing itself takes a moment.
        let isOverdue = ends.map { $0 < KernelClock.boot.components.seconds - 5 } ?? false
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
