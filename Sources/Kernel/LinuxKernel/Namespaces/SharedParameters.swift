import CLinux
import Glibc
import SystemPackage

/// Kernel parameters that this process and others like it want changed while any of them lives.
///
/// Each parameter of a network namespace has a file in the state directory, which holds its
/// original value. Its users hold a shared lock on the file; the last one restores the value and
/// removes the file.
public struct SharedParameters: ~Copyable, Sendable {
    private var owned: [Owned] = []

    private final class Owned: Sendable {
        let path: String
        let value: String
        let directory: OwnedDescriptor
        let users: OwnedDescriptor
        let parameter: OwnedDescriptor
        let current: OwnedDescriptor
        /// Whether the value has to be changed, or already was by another such process.
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

    /// Registers as a user that wants a parameter to be `value`, without changing it yet.
    ///
    /// - Parameters:
    ///   - name: its path under `/proc/sys`.
    ///   - directory: the state directory, the same for all processes.
    /// - Returns: whether a change is needed; false if the parameter has the value for reasons
    ///   other than these processes.
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

    /// Sets all parameters to their values; also again, where others have changed them.
    ///
    /// The guardian of a `GuardedProgram` that was started before restores them when nobody needs
    /// them any more.
    ///
    /// - Returns: whether any had another value.
    @discardableResult
    public borrowing func change() throws(KernelError) -> Bool {
        var isChanged = false
        for owned in owned {
            var shim = owned.shim
            do {
                let status = try checked(
                    unsafe lc_change_parameter(&shim, owned.current.number, owned.value))
                isChanged = isChanged || status != 0
            } catch {
                throw KernelError(.write, subject: owned.path, errno: error)
            }
        }
        return isChanged
    }

    /// Restores the parameters of the calling thread's network namespace that have no users left
    /// because their guardian was killed too; and deletes the files of namespaces that are gone.
    public static func restoreAbandoned(in directory: StateDirectory) {
        let files = directory.names().compactMap { file in
            Prefix(file).map { (file, $0) }
        }
        guard !files.isEmpty, let here = try? NetworkNamespace.currentInode(),
            let locked = try? open(directory.path, .readOnly)
        else { return }
        for (file, prefix) in files {
            let isHere = prefix.namespace == here
            guard isHere || !NetworkNamespace.isUsed(inode: prefix.namespace),
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

    /// The common prefix of the file names of a network namespace.
    private struct Prefix {
        let namespace: UInt64

        init(namespace: UInt64) {
            self.namespace = namespace
        }

        /// Parses the prefix of a file name; nil for a file of another kind.
        init?(_ file: String) {
            let words = file.split(separator: ":", maxSplits: 2)
            guard words.count == 3, words[0] == "parameter", let inode = UInt64(words[1]) else {
                return nil
            }
            namespace = inode
        }

        private var text: String { "parameter:\(namespace):" }

        // An interface name has no colon, but may have a full stop.
        func file(of name: String) -> String { text + name.replacing("/", with: ":") }

        func parameter(of file: String) -> String {
            String(file.dropFirst(text.count)).replacing(":", with: "/")
        }
    }
}
