public import LinkModel
import LinkUnits
import ProfileFormat

/// A profile made from another tool's data, with remarks about the conversion.
public struct ImportedProfile: Sendable, Hashable {
    /// Something that the numbers alone do not show.
    public enum Remark: Sendable, Hashable {
        /// Why a number differs from that in the file.
        case explanation(String)
        /// A setting in the file that a profile cannot express.
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
    /// Remarks about the conversion.
    public let remarks: [Remark]

    /// The profile as a file, with the remarks as comments in front.
    public var yaml: String {
        ProfileWriter.yaml(profile, comments: remarks.map(\.text))
    }
}

/// A profile being read.
struct Draft {
    var name: String
    var summary = ""
    var conditions = LinkConditions()
    private(set) var remarks: [ImportedProfile.Remark] = []
    /// Whether the file has something here that describes a link and is understood.
    private(set) var isRecognised = false

    init(name: String) { self.name = name }

    mutating func explain(_ text: String) { remarks.append(.explanation(text)) }

    mutating func leaveOut(_ text: String) { remarks.append(.omission(text)) }

    mutating func leaveOut(unknown path: String) {
        leaveOut("\(path), in which there is nothing that linkcond knows of a link.")
    }

    /// Records that something other than a table describes the link.
    mutating func recognise() { isRecognised = true }

    /// Records the keys of `table` not taken, and whether any key taken describes the link.
    mutating func leaveOut(restOf table: ForeignTable) {
        if table.conditionCount > 0 { isRecognised = true }
        for key in table.keys { leaveOut("\(table.fieldPath(key)), which linkcond does not know.") }
    }

    /// The profile, if its conditions are sound as a whole; `path` is its location in `file`.
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

    /// The words of `text` on one line, without characters that a profile cannot contain.
    private static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars.filter {
            $0.value != 0xfeff && !$0.properties.isNoncharacterCodePoint
        }
        let words = String(String.UnicodeScalarView(scalars)).split(whereSeparator: \.isWhitespace)
        return words.joined(separator: " ").printable
    }
}
