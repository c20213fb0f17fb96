import Glibc

/// The user who called `sudo linkcond`: commands and files are theirs, not root's.
public struct InvokingUser: Sendable, Hashable {
    /// Whom the command runs as.
    public let identity: Program.Identity
    /// Variables that sudo has set for root.
    public let variables: [String: String]

    /// The user behind sudo, if root is asked through it; nil for anybody else.
    ///
    /// Only root can have set the variables that say so; somebody else's are not looked at.
    public static func behindSudo(environment: [String: String]) -> InvokingUser? {
        guard getuid() == 0, geteuid() == 0, environment["SUDO_UID"] != nil else { return nil }
        return InvokingUser(
            environment: environment, users: UserAccount.text(of: "/etc/passwd"),
            groups: UserAccount.text(of: "/etc/group"))
    }

    /// Reads sudo's variables, and from the user databases what they leave out.
    init?(environment: [String: String], users: String, groups: String) {
        guard let user = environment["SUDO_UID"].flatMap(UInt32.init), user != 0,
            let group = environment["SUDO_GID"].flatMap(UInt32.init),
            let name = environment["SUDO_USER"]
        else { return nil }
        let memberships = UserAccount.groups(of: name, groups)
        identity = Program.Identity(
            user: user, group: group, groups: [group] + memberships.filter { $0 != group })
        // The number is what rights go by; several names may have it.
        let records = UserAccount.records(users).filter { $0.count > 5 && $0[2] == "\(user)" }
        let home = (records.first { $0[0] == name } ?? records.first)?[5]
        var variables = ["USER": name, "LOGNAME": name]
        variables["HOME"] = home.map(String.init)
        self.variables = variables
    }
}
