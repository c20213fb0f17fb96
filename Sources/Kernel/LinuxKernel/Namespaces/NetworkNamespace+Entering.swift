import SystemPackage

extension NetworkNamespace {
    /// Runs `body` on a new thread in the namespace at `path`, such as `/proc/PID/ns/net`.
    ///
    /// Requires `CAP_SYS_ADMIN`, also over that namespace. Equivalent to `nsenter --net=PATH`.
    public static func run<Result: Sendable>(
        inNamespaceAt path: String, _ body: @escaping @Sendable () throws -> Result
    ) throws -> Result {
        try DedicatedThread.run {
            do {
                let namespace = try open(path)
                defer { try? namespace.close() }
                try enter(namespace)
            } catch {
                throw (error as? KernelError)
                    ?? KernelError(.open, subject: path, errno: error as? Errno ?? .ioError)
            }
            return try body()
        }
    }
}
