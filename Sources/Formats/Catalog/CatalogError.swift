public import ProfileFormat

/// Why a name leads to no profile, or to no scenario.
public enum CatalogError: Error, Sendable, CustomStringConvertible {
    case unknown(String, suggestion: String?)
    case ambiguous(String, [String])
    case unknownScenario(String, suggestion: String?)
    case unreadable(ProfileFileError)

    /// One sentence with the way out.
    public var description: String {
        switch self {
        case .unknown(let name, let suggestion?):
            "\(name): no such profile; did you mean \(suggestion)?"
        case .unknown(let name, nil):
            "\(name): no such profile; linkcond list shows them"
        case .unknownScenario(let name, let suggestion?):
            "\(name): no such scenario; did you mean \(suggestion)?"
        case .unknownScenario(let name, nil):
            "\(name): no such scenario; linkcond list --scenarios shows them"
        case .ambiguous(let name, let candidates):
            "\(name): several profiles have this name; choose \(candidates.joined(separator: " or "))"
        case .unreadable(let error):
            error.description
        }
    }
}

/// Why a file is not read as a profile.
public enum ProfileFileError: Error, Sendable, CustomStringConvertible {
    /// It cannot be read at all.
    case inaccessible(file: String, explanation: String)
    /// It is no profile.
    case malformed(ProfileError)

    /// The file or directory as the user would name it.
    public var file: String {
        switch self {
        case .inaccessible(let file, _): file
        case .malformed(let error): error.file
        }
    }

    /// One sentence with the place and the way out.
    public var description: String {
        switch self {
        case .inaccessible(let file, let explanation): "\(file): \(explanation)"
        case .malformed(let error): error.description
        }
    }
}
