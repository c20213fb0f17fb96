public import LinkModel
public import ProfileFormat

/// The profiles that can be named: those built in, and those in the user's directories.
///
/// A bare name means a built-in profile first (Apple's family before the others), so that the
/// common case reads no file; a user's profile of the same name is reached as `user/NAME`.
public struct ProfileCatalog: Sendable {
    /// A profile and where it was found.
    public struct Entry: Sendable {
        /// The profile.
        public let profile: Profile
        /// The file it was read from; nil for one that is built in.
        public let file: String?
    }

    /// The profiles that are part of the program.
    public static var builtIn: [Profile] { builtInProfiles }

    /// The directories of a user's profiles, nearest first.
    public let directories: [String]

    /// Makes a catalogue that also looks into `directories`.
    public init(directories: [String]) {
        self.directories = directories
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

    /// The profile that `name` means: a name, `family/name`, an alias, or the path of a file.
    public func entry(named name: String) throws(CatalogError) -> Entry {
        if Self.isPath(name) {
            do {
                return Entry(profile: try ProfileFile.read(name), file: name)
            } catch {
                throw .unreadable(error)
            }
        }
        if let profile = try Self.match(name, in: Self.builtIn) {
            return Entry(profile: profile, file: nil)
        }
        let (entries, problems) = userEntries()
        if let profile = try Self.match(name, in: entries.map(\.profile)) {
            return Entry(profile: profile, file: entries.first { $0.profile == profile }?.file)
        }
        if let problem = problems.first(where: { ProfileFile.stem(of: $0.file) == name }) {
            throw .unreadable(.malformed(problem))
        }
        throw unknown(name, userEntries: entries)
    }

    /// All profiles, the built-in ones first, and what is wrong with files of the user.
    public func all() -> (entries: [Entry], problems: [ProfileError]) {
        let (entries, problems) = userEntries()
        return (Self.builtIn.map { Entry(profile: $0, file: nil) } + entries, problems)
    }

    /// A user's profile that a bare name does not reach, and the profile that has its name.
    public static func clash(of entry: Entry) -> Profile? {
        guard entry.file != nil else { return nil }
        return builtIn.first { names(of: $0).contains(NameMatching.normalized(entry.profile.name)) }
    }

    private func userEntries() -> (entries: [Entry], problems: [ProfileError]) {
        var entries: [Entry] = []
        var problems: [ProfileError] = []
        for file in directories.flatMap(ProfileFile.files(in:)) {
            do {
                entries.append(Entry(profile: try ProfileFile.read(file), file: file))
            } catch .malformed(let problem) {
                problems.append(problem)
            } catch {
                problems.append(ProfileError(file: file, explanation: error.explanation))
            }
        }
        return (entries, problems)
    }

    private static func isPath(_ name: String) -> Bool {
        name.hasSuffix(".yaml") || name.hasSuffix(".yml")
            || ["/", "./", "../"].contains { name.hasPrefix($0) }
    }

    private static func names(of profile: Profile) -> [String] {
        ([profile.name] + profile.aliases).map(NameMatching.normalized)
    }

    /// The profile that `name` means among `profiles`; throws if it may mean several.
    private static func match(
        _ name: String, in profiles: [Profile]
    ) throws(CatalogError) -> Profile? {
        let wanted = NameMatching.normalized(name)
        if wanted.contains("/") {
            return profiles.first { NameMatching.normalized($0.id) == wanted }
        }
        let matches = profiles.filter { names(of: $0).contains(wanted) }
        if let apple = matches.first(where: { $0.family == "apple" }) { return apple }
        guard matches.count <= 1 else { throw .ambiguous(name, matches.map(\.id)) }
        return matches.first
    }

    private func unknown(_ name: String, userEntries: [Entry]) -> CatalogError {
        let profiles = Self.builtIn + userEntries.map(\.profile)
        let names = profiles.flatMap { [$0.name] + $0.aliases + [$0.id] }
        return .unknown(name, suggestion: NameMatching.suggestion(for: name, among: names))
    }
}
