import FoundationEssentials
import ProfileFormat

extension ForeignValue {
    /// Far above any file of conditions, far below the available memory.
    static let sizeLimit = 1 << 20

    /// More than any property list of profiles has, and few enough for the stack if all are nested.
    private static let mostOpenings = 1000

    /// Reads JSON or a property list: XML, binary, or the old-style text that `defaults read`
    /// prints.
    init(parsing file: ForeignFile) throws(ProfileError) {
        guard file.bytes.count <= Self.sizeLimit else {
            throw ProfileError(
                file: file.name, explanation: "is larger than 1 MiB, which no such file is")
        }
        guard !file.isJSON else {
            self = try Self.json(file)
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
            return try decoder.decode(ForeignValue.self, from: Data(file.bytes))
        }
    }

    /// One key, in a list because its initializer is failable.
    private static let budgetKeys = [CodingUserInfoKey(rawValue: "budget")].compactMap(\.self)

    private static func decode(
        _ file: ForeignFile, with body: () throws -> ForeignValue
    ) throws(ProfileError) -> ForeignValue {
        do {
            return try body()
        } catch let error as ValueBudget.Exceeded {
            throw ProfileError(file: file.name, explanation: error.explanation)
        } catch DecodingError.dataCorrupted(let context) where !file.isBinary {
            throw plistError(context, file)
        } catch {
            throw invalid(file, "damaged or cut short")
        }
    }

    private static func invalid(_ file: ForeignFile, _ problem: String) -> ProfileError {
        let problem = problem.last == "." ? String(problem.dropLast()) : problem
        return ProfileError(
            file: file.name, explanation: "not valid as a property list: \(problem)")
    }

    private static func plistError(
        _ context: DecodingError.Context, _ file: ForeignFile
    ) -> ProfileError {
        // Through a mirror, since `userInfo` may not be used in code with strict memory safety.
        let details = context.underlyingError.flatMap { error in
            Mirror(reflecting: error).descendant("userInfo") as? [String: Any]
        }
        let problem = details?["NSDebugDescription"] as? String ?? context.debugDescription
        // The parser always reports line 1.
        return invalid(
            file,
            String(
                problem.prefix(
                    upTo: problem.firstRange(of: " on line")?.lowerBound ?? problem.endIndex)))
    }
}

extension ForeignFile {
    var isBinary: Bool { bytes.starts(with: "bplist".utf8) }

    /// Whether to read it as JSON; an old-style property list also begins with a brace.
    var isJSON: Bool {
        let blanks = " \t\r\n".utf8
        let text = bytes.drop { blanks.contains($0) }
        guard text.first == UInt8(ascii: "{") else { return text.first == UInt8(ascii: "[") }
        let next = text.dropFirst().first { $0 > UInt8(ascii: " ") }
        let isWord = next.map { $0 >= UInt8(ascii: "A") && $0 != UInt8(ascii: "}") } ?? false
        // In the old style an equals sign follows a quoted key.
        return !isWord && !contains("\" = ")
    }

    func contains(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, bytes.count >= wanted.count else { return false }
        return bytes.indices.dropLast(wanted.count - 1).contains { start in
            bytes[start] == first && bytes[start...].starts(with: wanted)
        }
    }

    /// The number of lists and tables that begin in a property list.
    ///
    /// Foundation parses them recursively; a few kilobytes of opening tags exhaust its stack. This
    /// counts openings rather than nesting, because comments could hide the closings.
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
