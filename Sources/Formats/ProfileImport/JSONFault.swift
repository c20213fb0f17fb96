import JSONReading

/// The first place where a file breaks the rules of JSON.
struct JSONFault: Error, Equatable {
    /// More than the decoder accepts.
    private static let deepestNesting = 512

    /// Counted from 1.
    let line: Int
    let problem: String

    /// Makes nothing of a text that follows the rules.
    init?(in bytes: [UInt8]) {
        do {
            _ = try JSONValue(
                parsing: bytes, deepestNesting: Self.deepestNesting, allowsRepeatedKeys: true)
            return nil
        } catch {
            line = error.line
            problem =
                switch error.found {
                case .character(let found): "Unexpected \(found), \(error.problem)"
                case .end: "Unexpected end of file"
                case nil: error.problem.prefix(1).uppercased() + error.problem.dropFirst()
                }
        }
    }
}
