import LinkModel
public import ProfileImport

/// The profiles to import from a foreign file.
public struct ImportRequest {
    private let file: String
    private let format: ForeignFormat?
    private let upTrace: String?
    private let only: String?
    private let name: String?

    /// - Parameters:
    ///   - format: The format; nil to detect it from the content.
    ///   - upTrace: The file with the trace of the uplink.
    ///   - only: The profile to import; nil: all.
    ///   - name: A new name for it.
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

    /// The single profile; `purpose` says what needs one.
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
