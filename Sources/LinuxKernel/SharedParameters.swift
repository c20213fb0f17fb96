import CLinux
import SystemPackage

/// Parameters of the kernel that this process and others like it want changed as long as any of
/// them lives.
public struct SharedParameters: ~Copyable, Sendable {
    private var owned: [Owned] = []

    private final class Owned: Sendable {
        let path: String
        let value: String
        let mutex: OwnedDescriptor
        let users: OwnedDescriptor
        let parameter: OwnedDescriptor
        let current: OwnedDescriptor

        init(_ name: String, _ value: String, directory: String) throws {
            path = "/proc/sys/" + name
            self.value = value
            let file = name.replacing("/", with: ".")
            mutex = OwnedDescriptor(adopting: try FileLock.open("\(directory)/parameters.lock"))
            users = OwnedDescriptor(adopting: try FileLock.open("\(directory)/\(file)"))
            parameter = try Self.open(path, .writeOnly)
            current = try Self.open(path, .readOnly)
        }

        private static func open(
            _ path: String, _ mode: FileDescriptor.AccessMode
        ) throws -> OwnedDescriptor {
            OwnedDescriptor(
                adopting: try FileDescriptor.open(
                    FilePath(path), mode, options: [.closeOnExec]))
        }

        var shim: lc_shared_parameter {
            lc_shared_parameter(
                mutex: mutex.raw.rawValue, users: users.raw.rawValue,
                parameter: parameter.raw.rawValue)
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
        _ name: String, wanting value: String, directory: String
    ) throws(KernelError) -> Bool {
        do {
            let owned = try Owned(name, value, directory: directory)
            var shim = owned.shim
            let status = try checked(
                unsafe lc_share_parameter(&shim, owned.current.raw.rawValue, value))
            self.owned.append(owned)
            return status != 0
        } catch {
            throw (error as? KernelError)
                ?? KernelError(
                    .read, subject: "/proc/sys/" + name, errno: error as? Errno ?? .ioError)
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
                    unsafe lc_change_parameter(
                        &shim, owned.current.raw.rawValue, owned.value))
            } catch {
                throw KernelError(.write, subject: owned.path, errno: error)
            }
        }
    }
}
