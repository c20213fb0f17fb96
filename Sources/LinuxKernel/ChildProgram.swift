import CLinux
import Glibc
public import SystemPackage

/// A program of our own, or a helper, that runs beside this one.
public struct ChildProgram: Sendable {
    /// How it ended.
    public enum End: Sendable, Hashable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    private let process: Int32

    /// This program itself.
    public static let sameProgram = "/proc/self/exe"

    /// Starts the program at `path` with the environment of this process. It reads nothing, and
    /// what it says goes to `output`, standard output and error alike.
    public init(
        path: String = sameProgram, arguments: [String], output: FileDescriptor
    ) throws(KernelError) {
        var words = unsafe ([path == Self.sameProgram ? "linkcond" : path] + arguments).map {
            unsafe strdup($0)
        }
        unsafe words.append(nil)
        defer { unsafe words.forEach { unsafe free($0) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.rawValue, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.rawValue, 2)
        var process: Int32 = 0
        let status = unsafe posix_spawn(
            &process, path, &actions, nil, words, environ)
        guard status == 0 else {
            throw KernelError(
                .create, subject: "a process of \(path)", errno: Errno(rawValue: status))
        }
        self.process = process
    }

    /// How it ended, if it has; does not wait. To be called until it has.
    public func end() -> End? {
        var status: Int32 = 0
        guard unsafe waitpid(process, &status, WNOHANG) == process else { return nil }
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal: signal)
    }

    /// Waits until it has ended.
    public func wait() -> End {
        while true {
            if let end = end() { return end }
            _ = usleep(5000)
        }
    }

    /// Kills it.
    public func kill() {
        _ = Glibc.kill(process, SIGKILL)
    }

    /// Has the kernel kill this process when the one that started it ends.
    public static func endWithParent() {
        _ = lc_end_with_parent()
    }
}
