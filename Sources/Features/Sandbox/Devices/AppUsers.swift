import Glibc
import LinkModel
import LinuxKernel
import Scenarios

/// The users that a scenario starts apps as.
struct AppUsers: Sendable {
    /// The user of an app.
    struct User: Sendable, Hashable {
        /// Whom it runs as; nil: the caller, who is this user.
        let identity: Program.Identity?
        /// The variables that name the user and the home directory.
        let variables: [String: String]
    }

    private var users: [String: User] = [:]

    /// No users.
    init() {}

    /// Finds all users that a request names, before anything is built.
    init(of request: SandboxRequest, isRootless: Bool) throws(SandboxError) {
        for name in request.userNames where users[name] == nil {
            guard let account = UserAccount.named(name) else {
                throw SandboxError(
                    "user \(name): this host has no such user (/etc/passwd)", status: .badFile)
            }
            let identity = account.identity
            // sudo was asked to condition a network. A file must not make more of it.
            guard identity.user != 0 || request.identity == nil else {
                throw SandboxError(
                    "user \(name): under sudo a scenario cannot start an app as root; call linkcond "
                        + "in a shell of root (sudo -i), or leave user out of the scenario",
                    status: .noPermission)
            }
            guard !isRootless || identity.user == getuid() else {
                throw SandboxError(
                    "user \(name): only root can start an app as another user; run it with sudo, "
                        + "or leave user out of the scenario", status: .noPermission)
            }
            guard isRootless || identity.isMapped else {
                throw SandboxError(
                    "user \(name): this user namespace has no number for it; run linkcond outside "
                        + "of it, or leave user out of the scenario", status: .noPermission)
            }
            users[name] = User(
                identity: isRootless ? nil : identity, variables: account.variables)
        }
    }

    /// The user of this name; nil if the request names no such user.
    subscript(name: String) -> User? { users[name] }
}

extension SandboxRequest {
    /// The users that its devices and its scenario name.
    fileprivate var userNames: [String] {
        let relaunches = (scenario?.scenario.entries ?? []).flatMap(\.actions).compactMap {
            action -> LaunchOptions? in
            if case .app(.relaunch(let options)) = action { options } else { nil }
        }
        return (allDevices.map(\.launch) + relaunches).compactMap(\.user)
    }
}
