/// The version of the program, as `--version` and its reports state it.
///
/// The build adds `current` from the file VERSION, Git and the compiler: see Plugins/StampVersion.
struct ProgramVersion: Sendable, CustomStringConvertible {
    /// The version that the file VERSION has.
    let number: String
    /// The commit, `-dirty` behind it if sources differ from it; nil for sources without Git.
    let commit: String?
    /// The version of the Swift compiler.
    let swift: String

    /// All in one line, such as `0.9.0 (commit 5033655d1234, Swift 6.3.1)`.
    var description: String {
        let origin = commit.map { "commit \($0), " } ?? ""
        return "\(number) (\(origin)Swift \(swift))"
    }
}
