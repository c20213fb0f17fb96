import Glibc
import LinuxKernel

/// Makes the namespaces of a sandbox, and the first process in them.
///
/// Without root, a process between this and the first one makes the user namespace, and waits for the
/// first one.
struct NamespaceMaker {
    let first: FirstProcess
    let isRootless: Bool

    private static let kinds: Namespaces = [.mount, .network, .process]

    /// Starts the first process.
    ///
    /// - Parameter other: The supervisor's end of the channel, which is closed inside.
    /// - Returns: The first process, or the one between.
    func start(closing other: MessageChannel) throws -> Int32 {
        let supply = try NetworkSupply(count: SandboxNamespaces.further(first.request))
        guard isRootless else {
            return try Process.fork(into: Self.kinds, supply: supply) {
                other.close()
                first.run(supply)
            }
        }
        return try Process.forkAsOwner(
            asRoot: first.request.mapsRoot, into: Self.kinds, supply: supply
        ) { result in
            other.close()
            report(result)
            first.channel.close()
        } _: {
            other.close()
            first.run(supply)
        }
    }

    private func report(_ result: Result<Int32, KernelError>) {
        switch result {
        case .success(let process): first.channel.send(.forked(process))
        case .failure(let error): first.channel.send(.refused(error))
        }
    }
}
