import Glibc
import LinuxKernel
import SystemPackage

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
        case .failure(let error): first.channel.send(.failed(explain(error)))
        }
    }

    /// Adds why namespaces are refused, which the kernel's error does not tell.
    private func explain(_ error: KernelError) -> SandboxError {
        guard error.limitHint.isEmpty else { return SandboxError("\(error)") }
        let remedy = UserNamespaceLimit.current()?.remedy ?? "run it with sudo"
        return SandboxError(
            "cannot \(error.operation.rawValue) \(error.subject): \(error.errno); \(remedy)")
    }
}

/// A setting that prevents users from making user namespaces.
struct UserNamespaceLimit {
    private let key: String
    private let forbidding: Substring
    /// The value that allows it; nil if linkcond alone can be allowed.
    private let allowing: String?

    static let all = [
        UserNamespaceLimit(
            key: "kernel.apparmor_restrict_unprivileged_userns", forbidding: "1", allowing: nil),
        UserNamespaceLimit(
            key: "kernel.unprivileged_userns_clone", forbidding: "0", allowing: "1"),
        UserNamespaceLimit(key: "user.max_user_namespaces", forbidding: "0", allowing: "10000"),
    ]

    /// The setting in effect on this host, if known.
    static func current() -> UserNamespaceLimit? {
        all.first { limit in
            let path = "/proc/sys/" + limit.key.replacing(".", with: "/")
            return HostNames.text(of: path)?.split(separator: "\n").first == limit.forbidding
        }
    }

    /// How to change it.
    var remedy: String {
        guard let allowing else {
            return
                "this host lets only programs with an AppArmor profile make namespaces (\(key) is "
                + "\(forbidding)); linkcond's packages install one, linkcond doctor prints the command "
                + "that loads it, or run it with sudo"
        }
        return
            "this host does not let users make namespaces (\(key) is \(forbidding)); allow it with "
            + "sudo sysctl -w \(key)=\(allowing), or run it with sudo"
    }
}
