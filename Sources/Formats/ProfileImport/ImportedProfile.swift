public import LinkModel
import LinkUnits
import ProfileFormat

/// A profile made of what another tool says, and what has to be known about it.
public struct ImportedProfile: Sendable, Hashable {
    /// Something that the numbers alone do not say.
    public enum Remark: Sendable, Hashable {
        /// Why a number is another one than in the file.
        case explanation(String)
        /// What the file says and a profile cannot.
        case omission(String)

        /// A sentence.
        public var text: String {
            switch self {
            case .explanation(let text): text
            case .omission(let text): "Left out: \(text)"
            }
        }
    }

    /// The profile.
    public var profile: Profile
    /// What has to be known about it.
    public let remarks: [Remark]

    /// The profile as a file, with the remarks as comments in front.
    public var yaml: String {
        ProfileWriter.yaml(profile, comments: remarks.map(\.text))
    }
}

/// A profile while it is read.
struct Draft {
    var name: String
    var summary = ""
    var conditions = LinkConditions()
    private(set) var remarks: [ImportedProfile.Remark] = []
    /// Whether the file says anything of a link here that is understood.
    private(set) var isRecognised = false

    init(name: String) { self.name = name }

    mutating func explain(_ text: String) { remarks.append(.explanation(text)) }

    mutating func leaveOut(_ text: String) { remarks.append(.omission(text)) }

    mutating func leaveOut(unknown path: String) {
        leaveOut("\(path), in which there is nothing that linkcond knows of a link.")
    }

    /// Notes that there is something else than tables that says what the link is like.
    mutating func recognise() { isRecognised = true }

    /// Notes the keys of `table` that nobody has taken, and whether any that were say something.
    mutating func leaveOut(restOf table: ForeignTable) {
        if table.conditionCount > 0 { isRecognised = true }
        for key in table.keys { leaveOut("\(table.fieldPath(key)), which linkcond does not know.") }
    }

    /// The profile, if its conditions are sound as a whole; `path` is its place in `file`.
    func profile(
        from file: ForeignFile, format: ForeignFormat, path: String
    ) throws(ProfileError) -> ImportedProfile {
        var conditions = conditions
        if conditions.down.loss == .random(.one), conditions.up.loss == .random(.one) {
            conditions.down.loss = .none
            conditions.up.loss = .none
            conditions.isBlackhole = true
        }
        if let problem = conditions.problem {
            let field = path.isEmpty ? problem.field : "\(path) (\(problem.field))"
            throw ProfileError(file: file.name, field: field, explanation: problem.explanation)
        }
        let name = Self.line(name).replacing("/", with: "-")
        let source = Self.line(file.lastComponent)
        return ImportedProfile(
            profile: Profile(
                name: name.isEmpty ? "Imported" : name, family: "user",
                summary: Self.line(summary), source: "Imported from \(source) (\(format.title))",
                conditions: conditions),
            remarks: remarks)
    }

    /// The words of `text` on one line, without what a profile cannot have in it.
    private static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars.filter {
            $0.value != 0xfeff && !$0.properties.isNoncharacterCodePoint
        }
        let words = String(String.UnicodeScalarView(scalars)).split(whereSeparator: \.isWhitespace)
        return words.joined(separator: " ").printable
    }
}
