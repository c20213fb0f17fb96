import LinkModel
import ProfileFormat
public import Scenarios

/// The available scenarios: the built-in ones and those in the user's directories.
///
/// A name means a built-in scenario first, so that the common case reads no file; otherwise the one
/// in the nearest directory.
public struct ScenarioCatalog: Sendable {
    /// A scenario and its origin.
    public struct Entry: Sendable, Hashable {
        /// The scenario.
        public let scenario: Scenario
        /// The file it was read from; nil if built in.
        public let file: String?
        /// The YAML text, with its comments.
        public let text: String

        /// Describes a scenario.
        package init(scenario: Scenario, file: String?, text: String) {
            self.scenario = scenario
            self.file = file
            self.text = text
        }
    }

    /// The directories of a user's scenarios, nearest first.
    public let directories: [String]
    /// Where scenarios find their profiles.
    public let profiles: ProfileCatalog
    private let owner: DirectoryOwner?

    /// Makes a catalogue that also searches `directories`.
    public init(
        directories: [String], profiles: ProfileCatalog, owner: DirectoryOwner? = nil
    ) {
        self.directories = directories
        self.profiles = profiles
        self.owner = owner
    }

    /// The standard directories for the given environment: `./.linkcond/scenarios`, the user's and
    /// the host's configuration.
    public static func standardDirectories(environment: [String: String]) -> [String] {
        ProfileCatalog.standardDirectories(environment: environment).map { directory in
            guard directory != ".linkcond" else { return ".linkcond/scenarios" }
            let parent = directory[..<(directory.lastIndex(of: "/") ?? directory.startIndex)]
            return String(parent) + "/scenarios"
        }
    }

    /// The names and aliases of the built-in scenarios.
    public static var builtInNames: [String] { builtInScenarios.flatMap { [$0.name] + $0.aliases } }

    /// The scenario for `name`: a name, an alias, or the path of a file.
    public func entry(named name: String) throws(CatalogError) -> Entry {
        let wanted = NameMatching.normalized(name)
        do throws(ProfileFileError) {
            if ProfileCatalog.isPath(name) { return try ScenarioFile.read(name, profiles) }
            if let builtIn = Self.builtIn(wanted) { return try entry(of: builtIn) }
        } catch {
            throw .unreadable(error)
        }
        let (entries, problems) = userEntries()
        for entry in entries where Self.names(of: entry).contains(wanted) { return entry }
        for problem in problems
        where NameMatching.normalized(ProfileFile.stem(of: problem.file)) == wanted {
            throw .unreadable(problem)
        }
        if ProfileCatalog.hasBuiltIn(name) { throw .isProfile(name) }
        let names =
            Self.builtInNames + entries.flatMap { [$0.scenario.name] + $0.scenario.aliases }
        throw .unknownScenario(name, suggestion: NameMatching.suggestion(for: name, among: names))
    }

    /// Whether `name` is the path of a file that looks like a scenario rather than a profile: it
    /// has interfaces or a timeline.
    public static func isFileOfScenario(_ name: String) -> Bool {
        ProfileCatalog.isPath(name) && ScenarioFile.isScenario(name)
    }

    /// All scenarios, the built-in ones first, and the problems with the user's files.
    public func all() throws(CatalogError) -> (entries: [Entry], problems: [ProfileFileError]) {
        let (entries, problems) = userEntries()
        var builtIn: [Entry] = []
        for scenario in builtInScenarios {
            do throws(ProfileFileError) {
                builtIn.append(try entry(of: scenario))
            } catch {
                throw .unreadable(error)
            }
        }
        return (builtIn + entries, problems)
    }

    /// Whether a built-in scenario has this name.
    static func hasBuiltIn(_ name: String) -> Bool { builtIn(NameMatching.normalized(name)) != nil }

    private static func builtIn(_ wanted: String) -> BuiltInScenario? {
        builtInScenarios.first { scenario in
            ([scenario.name] + scenario.aliases).contains { NameMatching.normalized($0) == wanted }
        }
    }

    private func entry(of builtIn: BuiltInScenario) throws(ProfileFileError) -> Entry {
        // A user's profile must not change a built-in scenario.
        let catalog = ProfileCatalog(directories: [])
        return try ScenarioFile.entry(
            of: builtIn.text, name: builtIn.name, file: nil, catalog: catalog)
    }

    private func userEntries() -> (entries: [Entry], problems: [ProfileFileError]) {
        owner.entries(in: directories) { file throws(ProfileFileError) in
            try ScenarioFile.read(file, profiles)
        }
    }

    private static func names(of entry: Entry) -> [String] {
        ([entry.scenario.name] + entry.scenario.aliases).map(NameMatching.normalized)
    }
}
