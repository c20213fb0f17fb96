import CLinux
import SystemPackage

/// Opens files with another user's permissions.
public enum FileRights {
    /// Runs `body` on the calling thread, which meanwhile opens, creates and lists files with this
    /// user's permissions, and creates them as this user. For root only; in other respects it stays
    /// root.
    public static func lending<Result>(
        to identity: Program.Identity, _ body: () throws -> Result
    ) throws -> Result {
        let former = unsafe lc_take_file_rights(
            identity.user, identity.group, identity.groups, Int32(identity.groups.count))
        guard former == 0 else {
            throw KernelError(
                .enter, subject: "the rights of user \(identity.user)",
                errno: Errno(rawValue: -former))
        }
        defer {
            // No process may continue with a mixture of two users' permissions.
            precondition(lc_return_file_rights() == 0, "root gets its own rights back")
        }
        return try body()
    }
}
