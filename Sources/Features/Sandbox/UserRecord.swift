import FoundationEssentials
import Glibc

/// The record of the command's user in a sandbox's user database.
///
/// A message bus rejects users that are missing in the database. Such users are common in
/// containers, and where a directory service provides users. For them the sandbox adds a record
/// made from their environment.
struct UserRecord {
    static let path = "/etc/passwd"

    let user: UInt32
    let group: UInt32

    /// `passwd` with an added record of the user; nil if it has one.
    func database(_ text: String, environment: [String: String]) -> String? {
        let records = text.split(separator: "\n").map {
            $0.split(separator: ":", omittingEmptySubsequences: false)
        }
        guard !records.contains(where: { $0.count > 2 && $0[2] == "\(user)" }) else { return nil }
        let names = Set(records.compactMap(\.first))
        let field = { (name: String) in
            environment[name].flatMap { value in
                value.isEmpty || value.contains { $0 == ":" || $0.isNewline } ? nil : value
            }
        }
        let name = field("USER").flatMap { names.contains($0[...]) ? nil : $0 } ?? "user\(user)"
        let fields = [
            name, "x", "\(user)", "\(group)", "", field("HOME") ?? "/", field("SHELL") ?? "/bin/sh",
        ]
        return (text.isEmpty || text.hasSuffix("\n") ? text : text + "\n")
            + fields.joined(separator: ":") + "\n"
    }

    /// The files to replace, with their new texts.
    func replacements(reading text: (String) -> String?) -> [String: String] {
        let changed = text(Self.path).flatMap {
            database($0, environment: ProcessInfo.processInfo.environment)
        }
        return changed.map { [Self.path: $0] } ?? [:]
    }
}
