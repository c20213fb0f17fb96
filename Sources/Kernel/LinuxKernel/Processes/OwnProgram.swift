import Glibc

/// The program that this process runs.
public enum OwnProgram {
    private static let link = "/proc/self/exe"

    /// Its path, so that `ps` shows a name that says something.
    public static var path: String {
        guard let path = linkTarget, isExecutable(path) else { return link }
        return path
    }

    /// The path of a program that is installed beside this one; nil if it is not there.
    public static func neighbour(_ name: String) -> String? {
        // Of one that was replaced meanwhile the directory is still right.
        guard let slash = linkTarget?.lastIndex(of: "/"), let directory = linkTarget?[..<slash]
        else { return nil }
        let path = "\(directory)/\(name)"
        return isExecutable(path) ? path : nil
    }

    private static var linkTarget: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlink(link, &buffer, buffer.count)
        guard length > 0, length < buffer.count else { return nil }
        return String(
            decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }
}
