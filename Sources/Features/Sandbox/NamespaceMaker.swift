import Glibc
import LinuxKernel
import SystemPackage

/// Makes the namespaces of a sandbox, and the first process in them.
///
/// Without root, a process between this and the first one makes the user namespace, for which a
/// process may have only one thread, and waits for the first one.
struct NamespaceMaker {
    let first: FirstProcess
    let isRootless: Bool

    /// Starts the first process.
    ///
    /// - Parameter other: The supervisor's end of the channel, which is closed inside.
    /// - Returns: The first process; nil if a message will tell which it is.
    func start(closing other: MessageChannel) throws -> Int32? {
        guard isRootless else { return try fork(closing: other) }
        _ = try Process.fork {
            other.close()
            makeUserNamespace()
        }
        return nil
    }

    private func fork(closing other: MessageChannel? = nil) throws(KernelError) -> Int32 {
        let supply = try NetworkSupply(count: SandboxNamespaces.further(first.request))
        return try Process.fork(into: [.mount, .network, .process], supply: supply) {
            other?.close()
            first.run(supply)
        }
    }

    private func makeUserNamespace() -> Never {
        Process.dieWithParent()
        do throws(KernelError) {
            try becomePrivileged()
            let child = try fork()
            first.channel.send(.forked(child))
            first.channel.close()
            _ = Process.wait(for: child)
        } catch {
            first.channel.send(.failed(explain(error)))
        }
        Process.exitAtOnce(0)
    }

    private func becomePrivileged() throws(KernelError) {
        let (user, group) = (getuid(), getgid())
        try Namespaces.user.unshare()
        try Namespaces.keepIdentity(user: user, group: group, asRoot: first.request.mapsRoot)
    }

    /// Adds why namespaces are refused, which the kernel's error does not tell.
    private func explain(_ error: KernelError) -> SandboxError {
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
