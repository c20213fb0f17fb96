public import LinkModel
import ProfileFormat

/// The files that a learned link becomes: a profile, and a delivery trace per direction whose
/// bandwidth varies.
public struct LearnedProfile: Sendable {
    /// The profile.
    public let profile: Profile
    /// The files and their texts, the profile first.
    public let files: [(file: String, text: String)]

    /// - Parameters:
    ///   - name: The profile's name.
    ///   - file: The path of the profile; the traces are beside it.
    ///   - date: The day, for a comment.
    public init(_ link: LearnedLink, name: String, file: String, date: String) {
        let stem = file.hasSuffix(".yaml") ? String(file.dropLast(".yaml".count)) : file
        let bare = stem.split(separator: "/", omittingEmptySubsequences: false).last.map {
            String($0)
        }
        var conditions = LinkConditions(
            down: link.down.conditions, up: link.up.conditions)
        var files: [(file: String, text: String)] = []
        var notes: [Direction: [ProfileNotes.Note]] = [:]
        for direction in Direction.allCases {
            let learned = link[direction]
            notes[direction] = learned.values.map {
                .init(key: $0.field, text: $0.how)
            }
            guard let trace = learned.trace else { continue }
            let name = "\(bare ?? "link").\(direction)"
            if direction == .up {
                conditions.up.trace = name
            } else {
                conditions.down.trace = name
            }
            files.append(("\(stem).\(direction)", trace.text))
        }
        profile = Profile(
            name: name, family: "learned", summary: "Learned from \(link.source)",
            source: "linkcond learn, \(date)", conditions: conditions)
        let comments =
            link.notes + [
                "Each number has its origin above it; what could not be seen is left out."
            ]
        let text = ProfileWriter.yaml(profile, comments: comments, notes: .init(notes))
        self.files = [(file, text)] + files
    }
}
