import Glibc
import LinuxKernel
import SystemPackage
import Uplink

/// The process between supervisor and first process. It makes the namespaces, which PID 1 of a PID
/// namespace cannot do for itself, and then waits for that process.
struct NamespaceMaker {
    let request: SandboxRequest
    let network: SandboxNetwork
    let channel: MessageChannel
    let published: PublishedSockets?
    let isRootless: Bool

    func run() -> Never {
        Process.dieWithParent()
        do {
            if isRootless { try becomePrivileged() }
            let child = try Process.fork(into: [.mount, .network, .process]) {
                FirstProcess(
                    request: request, network: network, channel: channel, published: published
                ).run()
            }
            channel.send(.forked(child))
            channel.close()
            _ = Process.wait(for: child)
            Process.exitAtOnce(0)
        } catch {
            channel.send(.failed(explain(error)))
            Process.exitAtOnce(0)
        }
    }

    private func becomePrivileged() throws(KernelError) {
        let (user, group) = (getuid(), getgid())
        try Namespaces.user.unshare()
        try Namespaces.keepIdentity(user: user, group: group, asRoot: request.mapsRoot)
    }

    /// Adds why namespaces are refused, which the kernel's error does not tell.
    private func explain(_ error: any Error) -> SandboxError {
        guard isRootless, let error = error as? KernelError else { return SandboxError("\(error)") }
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
