import CLinux
import SystemPackage

/// Parameters of the kernel that this process and others like it want changed as long as any of
/// them lives.
public struct SharedParameters: ~Copyable, Sendable {
    private var owned: [Owned] = []

    private final class Owned: Sendable {
        let mutex: OwnedDescriptor
        let users: OwnedDescriptor
        let parameter: OwnedDescriptor

        init(
            mutex: consuming OwnedDescriptor, users: consuming OwnedDescriptor,
            parameter: consuming OwnedDescriptor
        ) {
            self.mutex = mutex
            self.users = users
            self.parameter = parameter
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

    /// Changes a parameter, and has it put back when nobody needs it any more.
    ///
    /// - Parameters:
    ///   - name: its path under `/proc/sys`.
    ///   - directory: where the processes that change it keep what they know of it; the same for
    ///     all.
    public mutating func set(
        _ name: String, to value: String, directory: String
    ) throws(KernelError) {
        let path = "/proc/sys/" + name
        let file = name.replacing("/", with: ".")
        do {
            let owned = Owned(
                mutex: OwnedDescriptor(
                    adopting: try FileLock.open("\(directory)/parameters.lock")),
                users: OwnedDescriptor(adopting: try FileLock.open("\(directory)/\(file)")),
                parameter: OwnedDescriptor(
                    adopting: try FileDescriptor.open(
                        FilePath(path), .writeOnly, options: [.closeOnExec])))
            let current = OwnedDescriptor(
                adopting: try FileDescriptor.open(
                    FilePath(path), .readOnly, options: [.closeOnExec]))
            var shim = owned.shim
            try checked(unsafe lc_acquire_parameter(&shim, current.raw.rawValue, value))
            self.owned.append(owned)
        } catch {
            throw (error as? KernelError)
                ?? KernelError(.write, subject: path, errno: error as? Errno ?? .ioError)
        }
    }
}
