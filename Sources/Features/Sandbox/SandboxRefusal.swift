import LinuxKernel

/// That the kernel refused what a sandbox is made of, with the reason and the remedy that its error
/// does not tell.
struct SandboxRefusal {
    let error: KernelError
    /// What the caller had, on which it depends how the sandbox was made.
    let privilege: SandboxPrivilege
    /// The setting that keeps users from making namespaces, if one does.
    let limit: UserNamespaceLimit?

    /// Finds out the reasons, which takes the caller's namespaces.
    init(of error: KernelError) {
        self.init(of: error, privilege: .ofCaller, limit: .current())
    }

    init(of error: KernelError, privilege: SandboxPrivilege, limit: UserNamespaceLimit?) {
        (self.error, self.privilege, self.limit) = (error, privilege, limit)
    }

    /// It for the user.
    var asError: SandboxError { SandboxError(error.fact + hint) }

    private var hint: String {
        guard error.isMissingPrivilege else {
            let limit = error.limitHint
            return limit.isEmpty && error.isOfNamespaces ? privilege.hint : limit
        }
        if privilege.isComplete {
            guard error.isOfNamespaces || error.operation == .mount else { return "" }
            return "; a seccomp filter or AppArmor forbids it to root, too; a container leaves "
                + "them out by --security-opt seccomp=unconfined --security-opt apparmor=unconfined"
        }
        if error.operation == .mount, !privilege.isRoot {
            // Container runtimes hide a part of /proc, and filters forbid mounts.
            return "; a container allows it to its users by \(SandboxPrivilege.optionsForUsers), "
                + "and to its root by \(SandboxPrivilege.optionsOfContainer)"
        }
        let isOfUserNamespace = error.isOfNamespaces || error.subject.hasPrefix("/proc/self/")
        guard let limit, isOfUserNamespace else { return privilege.hint }
        return "; \(limit.remedy), or "
            + (privilege.isRoot
                ? "start the container with \(SandboxPrivilege.optionsOfContainer)"
                : "run it with sudo")
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
    ]

    /// The setting in effect on this host, if known.
    static func current() -> UserNamespaceLimit? {
        all.first { limit in
            let path = "/proc/sys/" + limit.key.replacing(".", with: "/")
            return HostNames.text(of: path)?.split(separator: "\n").first == limit.forbidding
        }
    }

    /// How to change it, before an "or".
    var remedy: String {
        guard let allowing else {
            return
                "this host lets only programs with an AppArmor profile make namespaces (\(key) is "
                + "\(forbidding)); linkcond's packages install one, linkcond doctor prints the command "
                + "that loads it"
        }
        return
            "this host does not let users make namespaces (\(key) is \(forbidding)); allow it with "
            + "sudo sysctl -w \(key)=\(allowing)"
    }
}
