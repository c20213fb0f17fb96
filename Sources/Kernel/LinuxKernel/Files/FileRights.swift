import CLinux
import SystemPackage

/// In whose name files are opened.
public enum FileRights {
    /// Runs `body` on the calling thread, which meanwhile opens, makes and lists files as this user
    /// could, and owns what it makes. For root only; in other respects it stays root.
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
            // Nobody may go on with rights that are half of one and half of another.
            precondition(lc_return_file_rights() == 0, "root gets its own rights back")
        }
        return try body()
    }
}
