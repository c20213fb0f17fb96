public import Foundation
import LinuxKernel
import Synchronization
import SystemPackage

/// The exclusive right to change a store, which a stopped process cannot hold for ever.
///
/// Theory of operation. The holder works in a directory of its own, `work-N`, in which it holds a
/// record lock and beats every second. The highest N counts. A directory becomes `work-N` by a
/// rename, which fails if there is one, so one of several processes succeeds. Another process takes
/// over if the lock is free (the holder has ended) or the beats stop (it is stopped, which does not
/// release locks): it becomes `work-(N+1)`, and then moves `work-N` into its own directory. So the
/// former holder finds nothing at its paths when it wakes up, and since everything gets into the
/// store by a rename from `work-N`, it cannot change the store any more. Its open files are not used
/// by others: parts that it holds locked are copied.
public final class AssetLease: Sendable {
    /// Where its holder works.
    public let directory: URL
    private let token: String
    private let lock: Mutex<FileLock?>

    /// How long a holder may be silent, unless named.
    public static let patience = Duration.seconds(10)
    private static let beatInterval = Duration.seconds(1)
    static let prefix = "work-"
    private static let holderFile = "holder"
    private static let beatFile = "beat"
    private static let roleFile = "role"

    private init(
        _ directory: URL, token: String, lock: consuming sending FileLock
    ) throws(KernelError) {
        (self.directory, self.token) = (directory, token)
        self.lock = Mutex(lock)
        let beats = directory.appending(path: Self.beatFile).path
        let file = try? FileDescriptor.open(FilePath(beats), .writeOnly, options: .closeOnExec)
        _ = try KernelThread(named: "asset-lease") { [weak self] in
            while self?.isHeld ?? false {
                _ = try? file?.writeAll(toAbsoluteOffset: 0, Self.now().text.utf8)
                _ = Readiness.wait(for: [], timeout: Self.beatInterval)
            }
            try? file?.close()
        }
    }

    deinit { release() }

    /// Gives it back; the parts remain for the next holder.
    public func release() {
        lock.withLock { $0 = nil }
    }

    private var isHeld: Bool { lock.withLock { $0 != nil } }

    /// Whether this process still holds it.
    public var isValid: Bool {
        isHeld && Self.exists(directory.appending(path: token))
    }

    /// Throws `.leaseLost` if another process has taken over.
    public func check() throws(AssetError) {
        guard isValid else { throw .leaseLost }
    }

    // MARK: Taking it

    /// Takes the lease of the store with this directory for its own files.
    ///
    /// - Parameters:
    ///   - role: What this process is, for messages of others.
    ///   - waiting: Whether to wait for another holder, rather than throw `.busy`.
    ///   - patience: How long another holder may be silent.
    static func take(
        in directory: URL, role: String, waiting: Bool, patience: Duration
    ) async throws(AssetError) -> AssetLease {
        var judge = LeaseJudge(patience: patience)
        var judged: Int?
        while true {
            let highest = numbers(in: directory).last
            if judged != highest { (judge, judged) = (LeaseJudge(patience: patience), highest) }
            if let highest, let holder = holder(of: work(highest, in: directory)),
                !judge.isStopped(beat(of: work(highest, in: directory)), at: now())
            {
                guard waiting else { throw .busy(holder: holder.description) }
                do {
                    try await Task.sleep(for: .milliseconds(100))
                } catch {
                    throw .busy(holder: holder.description)
                }
                continue
            }
            if let lease = try claim((highest ?? 0) + 1, in: directory, role: role) {
                return lease
            }
        }
    }

    /// Becomes the holder number `number`; nil if another process does.
    private static func claim(
        _ number: Int, in directory: URL, role: String
    ) throws(AssetError) -> AssetLease? {
        let token = UUID().uuidString
        let new = directory.appending(path: "new-\(token)")
        let own = work(number, in: directory)
        return try AssetError.at(directory.path) {
            try FileManager.default.createDirectory(at: new, withIntermediateDirectories: false)
            do {
                let lock = try FileLock(showingOwnerAt: new.appending(path: holderFile).path)
                // By other descriptors than that of the lock, whose end would release it.
                try Data(role.utf8).write(to: new.appending(path: roleFile))
                try Data(now().text.utf8).write(to: new.appending(path: beatFile))
                try Data().write(to: new.appending(path: token))
                try SmallFile.rename(new.path, to: own.path)
                let lease = try AssetLease(own, token: token, lock: lock)
                // The number may be an old one: others were quicker, and have gone on.
                if numbers(in: directory).last == number, lease.isValid { return lease }
                lease.release()
                try? FileManager.default.removeItem(at: own)
                return nil
            } catch {
                // Another process has become the holder of this number, or has removed `new`.
                let isThere = exists(new)
                try? FileManager.default.removeItem(at: new)
                let isOwn = exists(own.appending(path: token))
                guard !isOwn, exists(own) || !isThere else { throw error }
                return nil
            }
        }
    }

    // MARK: Other holders

    /// A process that holds the lease.
    struct Holder: Sendable, CustomStringConvertible {
        let process: Int32
        let role: String
        var description: String { "process \(process) (\(role))" }
    }

    /// The process that holds the lease; nil if none does.
    static func holder(in directory: URL) -> Holder? {
        numbers(in: directory).last.flatMap { holder(of: work($0, in: directory)) }
    }

    static func holder(of work: URL) -> Holder? {
        let path = work.appending(path: holderFile).path
        guard let process = try? FileLock.owner(at: path) else { return nil }
        let role = try? SmallFile.read(work.appending(path: roleFile).path)
        return Holder(process: process, role: role ?? "unknown")
    }

    private static func beat(of work: URL) -> LeaseJudge.Beat? {
        (try? SmallFile.read(work.appending(path: beatFile).path)).flatMap(LeaseJudge.Beat.init)
    }

    /// The numbers of the holders so far whose directories are there, in order.
    static func numbers(in directory: URL) -> [Int] {
        SmallFile.names(in: directory.path).compactMap { name in
            name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)) : nil
        }.sorted()
    }

    static func work(_ number: Int, in directory: URL) -> URL {
        directory.appending(path: "\(prefix)\(number)", directoryHint: .isDirectory)
    }

    private static func exists(_ file: URL) -> Bool {
        (try? FilePath(file.path).stat(followTargetSymlink: false)) != nil
    }

    private static let boot =
        (try? SmallFile.read("/proc/sys/kernel/random/boot_id"))?
        .split(whereSeparator: \.isWhitespace).first.map(String.init) ?? "unknown"

    private static func now() -> LeaseJudge.Beat {
        LeaseJudge.Beat(boot: boot, time: KernelClock.monotonic)
    }
}
