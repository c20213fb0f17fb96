import JSONReading
import ProfileFormat

extension ForeignValue {
    /// Reads JSON. Of two equal keys a decoder would take one and say nothing.
    static func json(_ file: ForeignFile) throws(ProfileError) -> ForeignValue {
        do throws(JSONSyntaxError) {
            return ForeignValue(
                try JSONValue(parsing: file.bytes, deepestNesting: deepestNesting))
        } catch {
            throw ProfileError(
                file: file.name, line: error.line,
                explanation: "not valid as JSON: \(error.sentence)")
        }
    }

    private init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let flag): .flag(flag)
            // Infinite if it is larger than any; the tables refuse that.
            case .number(let text): .number(Double(text) ?? .infinity)
            case .string(let text): .text(text)
            case .array(let values): .list(values.map(ForeignValue.init))
            case .object(let members):
                .table(
                    Dictionary(members.map { ($0.key, ForeignValue($0.value)) }) { first, _ in first
                    })
            }
    }
}

extension JSONSyntaxError {
    /// `Unexpected ', a key in quotes belongs here`
    var sentence: String {
        switch found {
        case .character(let found): "Unexpected \(found), \(problem)"
        case .end: "Unexpected end of file"
        case nil: problem.prefix(1).uppercased() + problem.dropFirst()
        }
    }
}
