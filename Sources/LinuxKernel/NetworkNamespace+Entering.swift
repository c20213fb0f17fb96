import CLinux
import SystemPackage

extension NetworkNamespace {
    /// Runs `body` on a thread of its own in the namespace at `path`, such as `/proc/PID/ns/net`.
    ///
    /// Requires `CAP_SYS_ADMIN`, also over that namespace. Equivalent to `nsenter --net=PATH`.
    public static func run<Result: Sendable>(
        inNamespaceAt path: String, _ body: @escaping @Sendable () throws -> Result
    ) throws -> Result {
        try DedicatedThread.run {
            let status: Int32
            do {
                let namespace = try FileDescriptor.open(
                    FilePath(path), .readOnly, options: [.closeOnExec])
                defer { try? namespace.close() }
                status = lc_enter_network(namespace.rawValue)
            } catch {
                throw KernelError(.open, subject: path, errno: error as? Errno ?? .ioError)
            }
            guard status == 0 else {
                throw KernelError(.open, subject: path, errno: Errno(rawValue: -status))
            }
            return try body()
        }
    }
}
