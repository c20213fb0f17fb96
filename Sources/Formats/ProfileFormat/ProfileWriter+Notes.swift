public import LinkModel

/// What is said of the fields of a direction in comments.
public struct ProfileNotes: Sendable, Hashable {
    /// A field and a sentence.
    public struct Note: Sendable, Hashable {
        /// The key as in the profile.
        public var key: String
        /// The sentence.
        public var text: String

        /// Makes a note.
        public init(key: String, text: String) {
            (self.key, self.text) = (key, text)
        }
    }

    /// Those of each direction, in the order of the file.
    public var notes: [Direction: [Note]]

    /// Makes notes.
    public init(_ notes: [Direction: [Note]]) {
        self.notes = notes
    }
}

extension ProfileWriter {
    /// The whole file with a field on each line and its note above; notes of fields that the
    /// profile leaves out say so.
    public static func yaml(
        _ profile: Profile, comments: [String], notes: ProfileNotes
    ) -> String {
        var text = comments.map { comment($0) }.joined()
        for line in heading(of: profile) { text += line + "\n" }
        for direction in [Direction.down, .up] {
            let fields = fields(of: direction.conditions(of: profile.conditions))
            let said = notes.notes[direction] ?? []
            let indent = "  "
            text += fields.isEmpty ? "# \(direction)\n" : "\(direction):\n"
            let margin = fields.isEmpty ? "" : indent
            var missing = said.filter { note in !fields.contains { $0.key == note.key } }
            for (key, value) in fields {
                for note in said where note.key == key {
                    text += comment(note.text, indent: margin)
                }
                text += "\(indent)\(key): \(value)\n"
            }
            missing.sort { $0.key < $1.key }
            for note in missing { text += comment("\(note.key): \(note.text)", indent: margin) }
        }
        return text
    }
}
