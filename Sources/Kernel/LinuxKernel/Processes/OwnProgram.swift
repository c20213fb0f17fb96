import Glibc

/// The program that this process runs.
public enum OwnProgram {
    private static let link = "/proc/self/exe"

    /// Its path, so that `ps` shows a name that says something.
    public static var path: String {
        guard let path = SmallFile.target(ofLink: link), isExecutable(path) else { return link }
        return path
    }

    /// The path of a program that is installed beside this one; nil if it is not there.
    public static func neighbour(_ name: String) -> String? {
        // Of one that was replaced meanwhile the directory is still right.
        guard let own = SmallFile.target(ofLink: link), let slash = own.lastIndex(of: "/")
        else { return nil }
        let path = "\(own[..<slash])/\(name)"
        return isExecutable(path) ? path : nil
    }

    private static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }
}
