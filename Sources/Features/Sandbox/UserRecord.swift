import FoundationEssentials
import Glibc

/// What the user database of a sandbox says of the command's user.
///
/// A message bus turns away users whom the database does not know. Such users are usual in
/// containers, and where users come from a directory service: to them the sandbox gives a record
/// of their own, which says what their environment says.
struct UserRecord {
    static let path = "/etc/passwd"

    let user: UInt32
    let group: UInt32

    /// `passwd` with a record of the user; nil if there is one.
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

    /// The files to be replaced, with their new texts.
    func replacements(reading text: (String) -> String?) -> [String: String] {
        let changed = text(Self.path).flatMap {
            database($0, environment: ProcessInfo.processInfo.environment)
        }
        return changed.map { [Self.path: $0] } ?? [:]
    }
}
