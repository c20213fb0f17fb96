import LinkModel

/// The first line that each end of a measurement says: `linkcond-learn/1 0.9.0 hello`.
///
/// It never changes, so that different versions, and programs that speak something else, can tell
/// each other apart.
package struct Greeting: Sendable, Hashable {
    /// What follows the version.
    package enum Word: String, Sendable {
        /// The client's.
        case hello
        /// The responder goes on.
        case ready
        /// The responder is measuring with somebody else.
        case busy
        /// The responder speaks another version.
        case version
    }

    /// The newest version of the protocol.
    package static let version = DiagnosisProtocol.version
    /// The version in which `learn` measures, and all that a responder can answer in.
    package static let measuring = 1
    package static let versions = measuring...version
    private static let name = "linkcond-learn/"

    /// The version of the protocol that the sender speaks.
    package var version: Int
    /// The version of the sender's program.
    package var program: String
    package var word: Word

    package init(_ word: Word, program: String, version: Int = Self.version) {
        // Of `0.9.0 (commit 1234567)` only the number.
        self.program = program.split(separator: " ").first.map { String($0) } ?? "unknown"
        (self.word, self.version) = (word, version)
    }

    /// The longest line that is read as one.
    static let longest = 200

    /// Reads a line without its end; nil if it is not one of ours.
    package init?(_ line: String) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[0].hasPrefix(Self.name),
            let version = Int(words[0].dropFirst(Self.name.count)), version > 0,
            let word = Word(rawValue: String(words[2])), !words[1].isEmpty
        else { return nil }
        self.init(word, program: String(words[1]).printable, version: version)
    }

    var line: String { "\(Self.name)\(version) \(program) \(word.rawValue)" }
}
