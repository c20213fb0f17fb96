import Glibc
import LinuxKernel
import SystemPackage

/// The process between supervisor and first process. It makes the namespaces, which PID 1 of a PID
/// namespace cannot do for itself, and then waits for it.
struct NamespaceMaker {
    let request: SandboxRequest
    let network: SandboxNetwork
    let channel: MessageChannel
    let isRootless: Bool

    func run() -> Never {
        Process.dieWithParent()
        do {
            try makeNamespaces()
            guard let child = try Process.fork() else {
                FirstProcess(request: request, network: network, channel: channel).run()
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

    private func makeNamespaces() throws(KernelError) {
        if isRootless {
            let (user, group) = (getuid(), getgid())
            try Namespaces.user.unshare()
            try Namespaces.keepIdentity(user: user, group: group)
        }
        try ([.mount, .network, .process] as Namespaces).unshare()
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
enum UserNamespaceLimit: CaseIterable {
    case appArmor, clone, count

    /// The setting in effect on this host, if known.
    static func current() -> UserNamespaceLimit? {
        allCases.first { limit in
            HostNames.text(of: limit.path)?.split(separator: "\n").first == limit.forbidding
        }
    }

    private var path: String { "/proc/sys/" + key.split(separator: ".").joined(separator: "/") }

    private var key: String {
        switch self {
        case .appArmor: "kernel.apparmor_restrict_unprivileged_userns"
        case .clone: "kernel.unprivileged_userns_clone"
        case .count: "user.max_user_namespaces"
        }
    }

    private var forbidding: Substring { self == .appArmor ? "1" : "0" }

    private var allowing: String {
        switch self {
        case .appArmor: "0"
        case .clone: "1"
        case .count: "10000"
        }
    }

    /// How to change it.
    var remedy: String {
        "this host does not let users make namespaces (\(key) is \(forbidding)); allow it with "
            + "sudo sysctl -w \(key)=\(allowing), or run it with sudo"
    }
}
