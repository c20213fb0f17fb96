import LinkModel
public import ProfileFormat

/// Turns what other tools say about links into profiles.
///
/// Each format has a file that reads it: bytes in, conditions out, no files and no clock. A format
/// first becomes a tree of values (`ForeignValue`), whose tables (`ForeignTable`) give out their
/// fields one by one, each error with its keys, and know what nobody has taken: that is reported,
/// as is what a profile cannot say (`ImportedProfile.Remark`).
public enum ProfileImport {
    /// Reads the profiles in `file`, at least one.
    ///
    /// - Parameters:
    ///   - file: what was read.
    ///   - upTrace: the trace of the way from the app, if `file` is a mahimahi trace.
    ///   - format: what the file is; nil if its content is to tell.
    /// - Throws: what is wrong with it, with the place.
    public static func profiles(
        in file: ForeignFile, upTrace: ForeignFile? = nil, format: ForeignFormat? = nil
    ) throws(ProfileError) -> [ImportedProfile] {
        guard file.bytes.contains(where: { $0 > UInt8(ascii: " ") }) else {
            throw ProfileError(file: file.name, explanation: "is empty")
        }
        let format = if let format { format } else { try self.format(of: file) }
        var profiles: [ImportedProfile] = []
        for entry in try entries(file, upTrace: upTrace, format: format) {
            var imported = try entry.draft.profile(from: file, format: format, path: entry.path)
            let taken = profiles.map { NameMatching.normalized($0.profile.name) }
            let name = imported.profile.name
            var number = 2
            while taken.contains(NameMatching.normalized(imported.profile.name)) {
                imported.profile.name = "\(name) \(number)"
                number += 1
            }
            profiles.append(imported)
        }
        guard !profiles.isEmpty else {
            throw ProfileError(file: file.name, explanation: "has no profile in it")
        }
        return profiles
    }

    private static func entries(
        _ file: ForeignFile, upTrace: ForeignFile?, format: ForeignFormat
    ) throws(ProfileError) -> [Entry] {
        func value() throws(ProfileError) -> ForeignValue { try ForeignValue(parsing: file) }
        return switch format {
        case .nlc: try NLCPlist.drafts(value(), file: file)
        case .tcconfig: try TCConfigJSON.drafts(value(), file: file)
        case .throttle: try ThrottleJSON.drafts(value(), file: file)
        case .webpagetest: try WebPageTestINI.drafts(file)
        case .atc: try ATCJSON.drafts(value(), file: file)
        case .chrome: try ChromeJSON.drafts(value(), file: file)
        case .mahimahi: [Entry(try MahimahiTrace.draft(file, upTrace: upTrace), path: "")]
        }
    }
}

/// A profile on its way, and the keys under which it stands in the file.
struct Entry {
    let draft: Draft
    let path: String

    init(_ draft: Draft, path: String) {
        self.draft = draft
        self.path = path
    }
}

extension ForeignFile {
    /// The text of a file of at most `limit` bytes.
    func text(limit: Int) throws(ProfileError) -> String {
        guard bytes.count <= limit else {
            throw ProfileError(
                file: name, explanation: "is larger than \(limit >> 20) MiB, which no such file is")
        }
        guard let text = String(validating: bytes, as: UTF8.self), !text.contains("\0") else {
            throw ProfileError(file: name, explanation: "is not a text in UTF-8")
        }
        // The mark that editors of other systems leave.
        return text.first == "\u{feff}" ? String(text.dropFirst()) : text
    }
}
