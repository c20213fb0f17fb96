public import ProfileFormat

/// Why a name does not identify a profile or scenario.
public enum CatalogError: Error, Sendable, CustomStringConvertible {
    case unknown(String, suggestion: String?)
    case ambiguous(String, [String])
    /// A profile is wanted, and this is a scenario.
    case isScenario(String)
    case unknownScenario(String, suggestion: String?)
    /// A scenario is wanted, and this is a profile.
    case isProfile(String)
    case unreadable(ProfileFileError)

    /// One sentence with the remedy.
    public var description: String {
        switch self {
        case .unknown(let name, let suggestion?):
            "\(name): no such profile; did you mean \(suggestion)?"
        case .unknown(let name, nil):
            "\(name): no such profile; linkcond list shows them"
        case .isScenario(let name):
            "\(name): this is a scenario, not a profile; linkcond play or run --scenario plays it"
        case .isProfile(let name):
            "\(name): this is a profile, not a scenario; linkcond apply or run PROFILE uses it"
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

/// Why a file cannot be read as a profile.
public enum ProfileFileError: Error, Sendable, CustomStringConvertible {
    /// The file cannot be read.
    case inaccessible(file: String, explanation: String)
    /// The file is not a profile.
    case malformed(ProfileError)

    /// The file or directory as the user would name it.
    public var file: String {
        switch self {
        case .inaccessible(let file, _): file
        case .malformed(let error): error.file
        }
    }

    /// One sentence with the location and the remedy.
    public var description: String {
        switch self {
        case .inaccessible(let file, let explanation): "\(file): \(explanation)"
        case .malformed(let error): error.description
        }
    }
}
