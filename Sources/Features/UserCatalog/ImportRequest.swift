import LinkModel
public import ProfileImport

/// What of a foreign file is wanted as profiles.
public struct ImportRequest {
    private let file: String
    private let format: ForeignFormat?
    private let upTrace: String?
    private let only: String?
    private let name: String?

    /// - Parameters:
    ///   - format: what the file is; nil: its content tells.
    ///   - upTrace: the file with the trace of the way from the app.
    ///   - only: the profile that is wanted; nil: all.
    ///   - name: another name for it.
    public init(
        _ file: String, format: ForeignFormat?, upTrace: String?, only: String?, name: String?
    ) {
        self.file = file
        self.format = format
        self.upTrace = upTrace
        self.only = only
        self.name = name
    }

    /// Reads the profiles.
    public func profiles() throws -> [ImportedProfile] { try renamed(chosen(try imported())) }

    private func imported() throws -> [ImportedProfile] {
        let foreign = try ImportFiles.read(file)
        guard let upTrace else { return try ProfileImport.profiles(in: foreign, format: format) }
        let format = if let format { format } else { try ProfileImport.format(of: foreign) }
        guard format == .mahimahi else {
            throw UsageError(
                description: "--up: \(file) is of format \(format.rawValue), which has both "
                    + "directions in one file")
        }
        return try ProfileImport.profiles(
            in: foreign, upTrace: try ImportFiles.read(upTrace), format: format)
    }

    private func chosen(_ profiles: [ImportedProfile]) throws(UsageError) -> [ImportedProfile] {
        guard let only else { return profiles }
        let wanted = NameMatching.normalized(only)
        let names = profiles.map(\.profile.name)
        guard let index = names.firstIndex(where: { NameMatching.normalized($0) == wanted }) else {
            let remedy =
                NameMatching.suggestion(for: only, among: names).map { "did you mean \($0)?" }
                ?? "there are \(names.joined(separator: ", "))"
            throw UsageError(description: "--only \(only): no such profile in \(file); \(remedy)")
        }
        return [profiles[index]]
    }

    private func renamed(_ profiles: [ImportedProfile]) throws -> [ImportedProfile] {
        guard let name else { return profiles }
        var profile = try single(profiles, "rename")
        profile.profile.name = name
        return [profile]
    }

    /// The one profile; `purpose` is what takes one.
    public func single(
        _ profiles: [ImportedProfile], _ purpose: String
    ) throws(UsageError) -> ImportedProfile {
        guard let profile = profiles.first, profiles.count == 1 else {
            let names = profiles.map(\.profile.name).joined(separator: ", ")
            throw UsageError(
                description: "\(file) has \(profiles.count) profiles: \(names); choose one to "
                    + "\(purpose) with --only NAME, or write all with --output DIRECTORY/ or --save"
            )
        }
        return profile
    }
}
