import FoundationEssentials
import ProfileFormat

extension ForeignValue {
    /// Far above any file of conditions, far below what would fill the memory.
    static let sizeLimit = 1 << 20

    /// More than any property list of profiles has, few enough for the stack if all are nested.
    private static let mostOpenings = 1000

    /// Reads JSON or a property list: XML, binary, or the old style that `defaults read` prints.
    init(parsing file: ForeignFile) throws(ProfileError) {
        guard file.bytes.count <= Self.sizeLimit else {
            throw ProfileError(
                file: file.name, explanation: "is larger than 1 MiB, which no such file is")
        }
        let data = Data(file.bytes)
        guard !file.isJSON else {
            self = try Self.decode(file) { () throws in
                let decoder = JSONDecoder()
                for key in Self.budgetKeys { decoder.userInfo[key] = ValueBudget() }
                return try decoder.decode(ForeignValue.self, from: data)
            }
            return
        }
        guard file.openings <= Self.mostOpenings else {
            throw ProfileError(
                file: file.name,
                explanation: "has more than \(Self.mostOpenings) tables, which no such file has")
        }
        self = try Self.decode(file) { () throws in
            let decoder = PropertyListDecoder()
            for key in Self.budgetKeys { decoder.userInfo[key] = ValueBudget() }
            return try decoder.decode(ForeignValue.self, from: data)
        }
    }

    /// One key, in a list because its initializer may fail.
    private static let budgetKeys = [CodingUserInfoKey(rawValue: "budget")].compactMap(\.self)

    private static func decode(
        _ file: ForeignFile, with body: () throws -> ForeignValue
    ) throws(ProfileError) -> ForeignValue {
        do {
            return try body()
        } catch let error as ValueBudget.Exceeded {
            throw ProfileError(file: file.name, explanation: error.explanation)
        } catch DecodingError.dataCorrupted(let context) where !file.isBinary {
            let problem = problem(of: context)
            throw ProfileError(
                file: file.name, line: line(in: problem),
                explanation: "not valid as \(file.language): \(problem)")
        } catch {
            throw ProfileError(
                file: file.name, explanation: "not valid as \(file.language): damaged or cut short"
            )
        }
    }

    /// What the decoder found, which it says in an error behind the error.
    private static func problem(of context: DecodingError.Context) -> String {
        // The error behind the error has the line, in user information that only its description
        // shows without unsafe code: ["NSDebugDescription": "... around line 3, column 7."]
        let cause = context.underlyingError.map { "\($0)" } ?? ""
        let parts = cause.split(separator: "\"NSDebugDescription\": \"", maxSplits: 1)
        let text =
            parts.count == 2
            ? String(parts[1].prefix(upTo: parts[1].lastIndex(of: "\"") ?? parts[1].endIndex))
                .replacing("\\\"", with: "\"").replacing("\\'", with: "'")
            : context.debugDescription
        return text.last == "." ? String(text.dropLast()) : text
    }

    /// The number behind the word "line" in what the decoder says.
    private static func line(in text: String) -> Int? {
        let words = text.split { !$0.isLetter && !$0.isNumber }
        guard let index = words.lastIndex(of: "line"), index + 1 < words.count else { return nil }
        return Int(words[index + 1])
    }
}

extension ForeignFile {
    fileprivate var language: String { isJSON ? "JSON" : "a property list" }

    var isBinary: Bool { bytes.starts(with: "bplist".utf8) }

    /// Whether it is to be read as JSON; an old-style property list also begins with a brace.
    var isJSON: Bool {
        let text = bytes.drop { $0 <= UInt8(ascii: " ") }
        guard text.first == UInt8(ascii: "{") else { return text.first == UInt8(ascii: "[") }
        let next = text.dropFirst().first { $0 > UInt8(ascii: " ") }
        let isWord = next.map { $0 >= UInt8(ascii: "A") && $0 != UInt8(ascii: "}") } ?? false
        // In old style a quoted key has an equals sign behind it.
        return !isWord && !contains("\" = ")
    }

    func contains(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, bytes.count >= wanted.count else { return false }
        return bytes.indices.dropLast(wanted.count - 1).contains { start in
            bytes[start] == first && bytes[start...].starts(with: wanted)
        }
    }

    /// How often a list or a table begins in a property list.
    ///
    /// Foundation reads them by calling itself, and a few kilobytes of opening tags use up its
    /// stack. The beginnings are counted rather than their nesting, which comments could hide.
    var openings: Int {
        guard !isBinary else { return 0 }
        return bytes.indices.count { index in
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "("): true
            case UInt8(ascii: "<"):
                ["dict", "array"].contains { bytes[(index + 1)...].starts(with: $0.utf8) }
            default: false
            }
        }
    }
}
