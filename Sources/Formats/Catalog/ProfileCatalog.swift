public import LinkModel

/// The available profiles: the built-in ones and those in the user's directories.
///
/// A bare name means a built-in profile first (Apple's family before the others), so that the
/// common case reads no file; a user's profile of the same name is `user/NAME`. If two user
/// profiles have the same family and name, the one in the nearer directory wins.
public struct ProfileCatalog: Sendable {
    /// A profile and its origin.
    public struct Entry: Sendable, Hashable {
        /// The profile.
        public let profile: Profile
        /// The file it was read from; nil if built in.
        public let file: String?
    }

    /// A name of a user's profile that refers to another profile.
    public struct Clash: Sendable, Hashable {
        /// The user's profile.
        public let entry: Entry
        /// The name, as that profile writes it.
        public let name: String
        /// The other profile with this name.
        public let other: Entry
        /// What to write to refer to the user's profile.
        public let remedy: String
    }

    /// The built-in profiles.
    public static var builtIn: [Profile] { builtInProfiles }

    /// The directories of a user's profiles, nearest first.
    public let directories: [String]
    /// The user with whose rights some of them are read.
    let owner: DirectoryOwner?

    /// Makes a catalogue that also searches `directories`.
    public init(directories: [String], owner: DirectoryOwner? = nil) {
        self.directories = directories
        self.owner = owner
    }

    /// The standard directories for the given environment: `./.linkcond`, the user's and the
    /// host's configuration.
    public static func standardDirectories(environment: [String: String]) -> [String] {
        let configuration =
            environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            ?? environment["HOME"].map { $0 + "/.config" }
        return [".linkcond"] + (configuration.map { [$0 + "/linkcond/profiles"] } ?? [])
            + ["/etc/linkcond/profiles"]
    }

    /// The profile for `name`: a name, `family/name`, an alias, the path of a file, or `-` for
    /// standard input.
    public func entry(named name: String) throws(CatalogError) -> Entry {
        if Self.isPath(name) {
            do {
                return Entry(profile: try ProfileFile.read(name), file: name)
            } catch {
                throw .unreadable(error)
            }
        }
        if let entry = try Self.match(name, in: Self.builtInEntries) { return entry }
        let (entries, problems) = userEntries()
        if let entry = try Self.match(name, in: entries) { return entry }
        let wanted = NameMatching.normalized(name)
        for problem in problems
        where NameMatching.normalized(ProfileFile.stem(of: problem.file)) == wanted {
            throw .unreadable(problem)
        }
        throw unknown(name, userEntries: entries)
    }

    /// All profiles, the built-in ones first, and the problems with the user's files.
    public func all() -> (entries: [Entry], problems: [ProfileFileError]) {
        let (entries, problems) = userEntries()
        return (Self.builtInEntries + entries, problems)
    }

    /// The names of user profiles among `entries` that refer, or also refer, to an earlier one.
    public static func clashes(among entries: [Entry]) -> [Clash] {
        entries.indices.flatMap { index -> [Clash] in
            let entry = entries[index]
            guard let file = entry.file else { return [] }
            let id = NameMatching.normalized(entry.profile.id)
            return ([entry.profile.name] + entry.profile.aliases).compactMap { name in
                let wanted = NameMatching.normalized(name)
                guard let other = entries[..<index].first(where: { names(of: $0).contains(wanted) })
                else { return nil }
                let isReachable = !entries[..<index].contains {
                    NameMatching.normalized($0.profile.id) == id
                }
                return Clash(
                    entry: entry, name: name, other: other,
                    remedy: isReachable ? entry.profile.id : file)
            }
        }
    }

    private static var builtInEntries: [Entry] { builtIn.map { Entry(profile: $0, file: nil) } }

    private func userEntries() -> (entries: [Entry], problems: [ProfileFileError]) {
        owner.entries(in: directories) { file throws(ProfileFileError) in
            Entry(profile: try ProfileFile.read(file, checksTraces: owner != nil), file: file)
        }
    }

    /// Whether a name is that of a file, rather than of a profile.
    public static func isPath(_ name: String) -> Bool {
        name == StandardInput.name || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
            || ["/", "./", "../"].contains { name.hasPrefix($0) }
    }

    private static func names(of entry: Entry) -> [String] {
        ([entry.profile.name] + entry.profile.aliases).map(NameMatching.normalized)
    }

    /// The entry for `name` among `entries`; throws if it is ambiguous.
    private static func match(
        _ name: String, in entries: [Entry]
    ) throws(CatalogError) -> Entry? {
        let wanted = NameMatching.normalized(name)
        if wanted.contains("/") {
            return entries.first { NameMatching.normalized($0.profile.id) == wanted }
        }
        let matches = entries.filter { names(of: $0).contains(wanted) }
        if let apple = matches.first(where: { $0.profile.family == "apple" }) { return apple }
        var seen: Set<String> = []
        let candidates = matches.map(\.profile.id).filter {
            seen.insert(NameMatching.normalized($0)).inserted
        }
        guard candidates.count <= 1 else { throw .ambiguous(name, candidates) }
        return matches.first
    }

    /// Whether a built-in profile has this name.
    static func hasBuiltIn(_ name: String) -> Bool {
        (try? match(name, in: builtInEntries)) != nil
    }

    private func unknown(_ name: String, userEntries: [Entry]) -> CatalogError {
        if ScenarioCatalog.hasBuiltIn(name) { return .isScenario(name) }
        let profiles = Self.builtIn + userEntries.map(\.profile)
        let names = profiles.flatMap { [$0.name] + $0.aliases + [$0.id] }
        return .unknown(name, suggestion: NameMatching.suggestion(for: name, among: names))
    }
}
