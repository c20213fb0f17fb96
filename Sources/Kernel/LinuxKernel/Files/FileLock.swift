import CLinux
import Glibc
import SystemPackage

/// A file lock, which the kernel releases when its owner ends in whatever way.
///
/// There are two kinds, which do not affect each other: one makes processes wait for each other,
/// the other shows which process holds it.
public struct FileLock: ~Copyable {
    private let owned: OwnedDescriptor

    /// Waits until no other process holds the lock on `path`, and takes it. The file is created if
    /// needed, and nobody else can open it. Equivalent to `flock(1)`.
    ///
    /// - Parameter patience: how long to wait for any single other holder. While many calls of
    ///   linkcond take turns, the wait goes on.
    /// - Throws: `Errno.resourceTemporarilyUnavailable` with the holder after `patience`;
    ///   `Errno.interrupted` when a termination signal arrives.
    public init(path: String, patience: Duration = .seconds(10)) throws(KernelError) {
        var end = ContinuousClock.now + patience
        var turn: Turn?
        while true {
            let file = try PrivateFile.open(path)
            let status = lc_lock_file(file.number)
            if status == 0, Self.stands(file, at: path) {
                Self.begin(file)
                owned = file
                return
            }
            guard [0, -Errno.wouldBlock.rawValue, -Errno.interrupted.rawValue].contains(status)
            else { throw KernelError(.lock, subject: path, errno: Errno(rawValue: -status)) }
            guard lc_is_told_to_end() == 0 else {
                throw KernelError(.lock, subject: path, errno: .interrupted)
            }
            guard status != 0 else { continue }
            if turn == nil { turn = Turn(file) }
            if ContinuousClock.now >= end {
                let current = Turn(file)
                guard current != turn else {
                    throw Self.timeout(current.holder, path, patience)
                }
                (turn, end) = (current, .now + patience)
            }
            _ = Readiness.wait(for: [], timeout: Self.pause)
        }
    }

    /// Locks a directory of the effective user; nil if another process holds the lock, or the
    /// directory does not exist any more.
    public init?(directory path: String) {
        let number = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { return nil }
        let directory = OwnedDescriptor(adopting: FileDescriptor(rawValue: number))
        guard FileStatus(of: directory.raw)?.owner == geteuid(), lc_lock_file(number) == 0,
            Self.stands(directory, at: path)
        else { return nil }
        owned = directory
    }

    /// Runs `body`, during which the lock is held.
    public borrowing func whileHeld<Value: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body()
    }

    private static let pause = Duration.milliseconds(10)

    /// Who holds a lock, and since when: what changes when it passes to another holder.
    private struct Turn: Equatable {
        /// nil if none is visible, such as one in another PID namespace.
        let holder: String?
        private let began: Duration?

        init(_ file: borrowing OwnedDescriptor) {
            let status = FileStatus(of: file.raw)
            holder = status.flatMap(LockTable.holder)
            began = status?.modified
        }
    }

    /// Shows those who wait that the lock has passed on. The table of locks does not: it lacks the
    /// holders of other PID namespaces.
    private static func begin(_ file: borrowing OwnedDescriptor) {
        _ = futimens(file.number, nil)
    }

    private static func timeout(
        _ holder: String?, _ path: String, _ patience: Duration
    ) -> KernelError {
        let time = "\(patience.components.seconds) s"
        return KernelError(
            .lock, subject: "\(path), which \(holder ?? "a process") has held for \(time)",
            errno: .wouldBlock)
    }

    /// Whether the file still has its name, so that others find the lock.
    private static func stands(_ file: borrowing OwnedDescriptor, at path: String) -> Bool {
        FileStatus(of: file.raw)?.isSameFile(as: FileStatus(ofFileAt: path)) == true
    }

    /// Takes the lock that shows this process to others; throws if another process holds it.
    ///
    /// This is a POSIX record lock (`fcntl_locking(2)`): the kernel reports its owner's process ID
    /// to anybody who may open the file. It is also released when its owner closes any descriptor
    /// of the same file.
    public init(showingOwnerAt path: String) throws(KernelError) {
        while true {
            let file = try PrivateFile.open(path)
            var lock = Self.wholeFile
            guard unsafe fcntl(file.number, F_SETLK, &lock) == 0 else {
                throw KernelError(.lock, subject: path, errno: Errno(rawValue: errno))
            }
            // Before the lock was taken, others may have removed the file as abandoned.
            if Self.stands(file, at: path) {
                owned = file
                return
            }
        }
    }

    /// The process that holds the record lock on the file at `path`; zero if it has no ID in the
    /// caller's PID namespace; nil if no other process holds it. Throws
    /// `Errno.noSuchFileOrDirectory` if the file does not exist.
    public static func owner(at path: String) throws(KernelError) -> Int32? {
        let file: FileDescriptor
        do {
            file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
        } catch {
            throw KernelError(.open, subject: path, errno: error as? Errno ?? .ioError)
        }
        defer { try? file.close() }
        var lock = wholeFile
        guard unsafe fcntl(file.rawValue, F_GETLK, &lock) == 0 else {
            throw KernelError(.lock, subject: path, errno: Errno(rawValue: errno))
        }
        return lock.l_type == Int16(F_UNLCK) ? nil : lock.l_pid
    }

    private static var wholeFile: flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        return lock
    }
}
