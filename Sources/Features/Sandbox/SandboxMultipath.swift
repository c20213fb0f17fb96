import LinkModel
import LinuxKernel
import Multipath
import Recording
import Scenarios
import SystemPackage

/// Multipath TCP between the command and the far side.
///
/// The command's programs and the servers get Multipath TCP sockets transparently
/// (`StreamInterceptor`). The relay speaks it with the command. In the command's network, the
/// kernel opens subflows over all interfaces according to the mode (`MultipathService`).
struct SandboxMultipath {
    private let mode: MultipathMode
    private let apps: [FileDescriptor]
    private let threads: [KernelThread]

    /// Sets it up for the first process and its future children. Leaves the calling thread on the
    /// far side.
    init(
        _ mode: MultipathMode, _ namespaces: SandboxNamespaces, _ channel: MessageChannel
    ) throws(SandboxError) {
        self.mode = mode
        apps = namespaces.apps
        do {
            let services = try apps.map { try Self.followInterfaces(mode, $0, channel) }
            try NetworkNamespace.enter(namespaces.far)
            try MultipathService.welcomePaths()
            threads = services + (try Self.replaceSockets(namespaces))
        } catch let error as MultipathError {
            throw SandboxError(error.description, status: error.isLack ? .unavailable : .sandbox)
        } catch {
            throw SandboxError("\(error)")
        }
    }

    /// The connections of all apps so far. Leaves the calling thread in an app's network namespace.
    func count() throws(KernelError) -> MultipathStatistics {
        let counters = try apps.map { app throws(KernelError) in
            try NetworkNamespace.enter(app)
            return try MultipathCounters()
        }
        return MultipathStatistics(
            mode: mode.rawValue, connections: counters.reduce(0) { $0 + $1.connections },
            plainConnections: counters.reduce(0) { $0 + $1.plainConnections },
            furtherPaths: counters.reduce(0) { $0 + $1.furtherPaths })
    }

    private static func followInterfaces(
        _ mode: MultipathMode, _ app: FileDescriptor, _ channel: MessageChannel
    ) throws -> KernelThread {
        try NetworkNamespace.enter(app)
        // Done at once, so that even the command's first connection gets all subflows.
        _ = try MultipathService(mode)
        return try KernelThread(named: "multipath") {
            do throws(MultipathError) {
                try MultipathService(mode) { channel.send(.explanation($0)) }.run()
            } catch {
                channel.send(.note("\(error); connections get no new paths any more"))
            }
        }
    }

    private static func replaceSockets(_ namespaces: SandboxNamespaces) throws -> [KernelThread] {
        let interceptor: StreamInterceptor
        do throws(KernelError) {
            interceptor = try StreamInterceptor(in: namespaces.apps + [namespaces.far])
        } catch {
            throw MultipathError.noInterception(error)
        }
        return try [
            KernelThread(named: "sockets") { interceptor.answer() },
            KernelThread(named: "socket requests") { interceptor.receive() },
            KernelThread(named: "socket requests") { interceptor.receive() },
        ]
    }
}
