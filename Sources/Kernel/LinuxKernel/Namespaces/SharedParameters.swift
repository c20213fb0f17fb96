import CLinux
import Glibc
import SystemPackage

/// Parameters of the kernel that this process and others like it want changed as long as any of
/// them lives.
///
/// Each has a file in the state directory on which those who want it changed hold a shared lock,
/// and in which its original value stands. It is named by network namespace and parameter; the
/// last of them restores the value and removes it.
public struct SharedParameters: ~Copyable, Sendable {
    private var owned: [Owned] = []

    private final class Owned: Sendable {
        let path: String
        let value: String
        let directory: OwnedDescriptor
        let users: OwnedDescriptor
        let parameter: OwnedDescriptor
        let current: OwnedDescriptor
        /// Whether the value is another, or is as it should be for other processes' sake.
        let takesChange: Bool

        init(_ name: String, _ value: String, directory: StateDirectory) throws {
            path = SharedParameters.path(of: name)
            self.value = value
            self.directory = try SharedParameters.open(directory.path, .readOnly)
            parameter = try SharedParameters.open(path, .writeOnly)
            current = try SharedParameters.open(path, .readOnly)
            let file = Prefix(namespace: try NetworkNamespace.currentInode()).file(of: name)
            var users: Int32 = -1
            let status = try checked(
                unsafe lc_share_parameter(
                    self.directory.number, file, current.number, value, &users))
            self.users = OwnedDescriptor(adopting: FileDescriptor(rawValue: users))
            takesChange = status != 0
        }

        var shim: lc_shared_parameter {
            lc_shared_parameter(
                directory: directory.number, users: users.number, parameter: parameter.number)
        }
    }

    /// No parameters.
    public init() {}

    var shims: [lc_shared_parameter] { owned.map(\.shim) }

    /// Becomes one of those who want a parameter to be `value`, without changing it yet.
    ///
    /// - Parameters:
    ///   - name: its path under `/proc/sys`.
    ///   - directory: where the processes that change it keep what they know of it; the same for
    ///     all.
    /// - Returns: whether it takes a change; false if it has the value for other reasons than
    ///   these processes.
    public mutating func share(
        _ name: String, wanting value: String, directory: StateDirectory
    ) throws(KernelError) -> Bool {
        do {
            let owned = try Owned(name, value, directory: directory)
            self.owned.append(owned)
            return owned.takesChange
        } catch {
            throw (error as? KernelError)
                ?? KernelError(
                    .read, subject: Self.path(of: name), errno: error as? Errno ?? .ioError)
        }
    }

    /// Gives all parameters their values.
    ///
    /// They are put back by the guardian of a `GuardedProgram` that was started before, when
    /// nobody needs them any more.
    public borrowing func change() throws(KernelError) {
        for owned in owned {
            var shim = owned.shim
            do {
                try checked(
                    unsafe lc_change_parameter(&shim, owned.current.number, owned.value))
            } catch {
                throw KernelError(.write, subject: owned.path, errno: error)
            }
        }
    }

    /// Puts back the parameters of the calling thread's network namespace that nobody wants changed
    /// any more, whose guardian was killed as well; and forgets those of namespaces that are gone.
    public static func restoreAbandoned(in directory: StateDirectory) {
        let files = directory.names().compactMap { file in
            Prefix(file).map { (file, $0) }
        }
        guard !files.isEmpty, let here = try? NetworkNamespace.currentInode(),
            let locked = try? open(directory.path, .readOnly)
        else { return }
        for (file, prefix) in files {
            let isHere = prefix.namespace == here
            guard isHere || NetworkNamespace.path(ofInode: prefix.namespace) == nil,
                let users = try? open(directory.path(of: file), .readWrite)
            else { continue }
            var shim = lc_shared_parameter(
                directory: locked.number, users: users.number, parameter: -1)
            if isHere, let parameter = try? open(path(of: prefix.parameter(of: file)), .writeOnly) {
                shim.parameter = parameter.number
                unsafe lc_release_parameter(&shim)
            } else {
                unsafe lc_release_parameter(&shim)
            }
        }
    }

    private static func path(of name: String) -> String { "/proc/sys/" + name }

    private static func open(
        _ path: String, _ mode: FileDescriptor.AccessMode
    ) throws -> OwnedDescriptor {
        OwnedDescriptor(
            adopting: try FileDescriptor.open(
                FilePath(path), mode, options: [.closeOnExec, .noFollow]))
    }

    /// How the names of the files of a network namespace begin.
    private struct Prefix {
        let namespace: UInt64

        init(namespace: UInt64) {
            self.namespace = namespace
        }

        /// The beginning of a file's name; nil of a file of another kind.
        init?(_ file: String) {
            let words = file.split(separator: ":", maxSplits: 2)
            guard words.count == 3, words[0] == "parameter", let inode = UInt64(words[1]) else {
                return nil
            }
            namespace = inode
        }

        private var text: String { "parameter:\(namespace):" }

        // No interface has a colon in its name, but it may have a full stop.
        func file(of name: String) -> String { text + name.replacing("/", with: ":") }

        func parameter(of file: String) -> String {
            String(file.dropFirst(text.count)).replacing(":", with: "/")
        }
    }
}
