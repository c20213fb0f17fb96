import LinkModel
public import ProfileFormat

/// Imports link conditions of other tools as profiles.
///
/// Each format has a file that reads it: bytes in, conditions out, without files or a clock. The
/// input first becomes a tree of values (`ForeignValue`). Its tables (`ForeignTable`) hand out
/// their fields one by one, each error with its keys, and track the fields not taken. Those are
/// reported, and so is everything that a profile cannot express (`ImportedProfile.Remark`).
public enum ProfileImport {
    /// Reads the profiles in `file`, at least one.
    ///
    /// - Parameters:
    ///   - file: The contents.
    ///   - upTrace: The trace of the uplink, if `file` is a mahimahi trace.
    ///   - format: The format; nil to detect it from the content.
    /// - Throws: What is wrong with the file, with the location.
    public static func profiles(
        in file: ForeignFile, upTrace: ForeignFile? = nil, format: ForeignFormat? = nil
    ) throws(ProfileError) -> [ImportedProfile] {
        guard file.bytes.contains(where: { $0 > UInt8(ascii: " ") }) else {
            throw ProfileError(file: file.name, explanation: "is empty")
        }
        let format = if let format { format } else { try self.format(of: file) }
        var profiles: [ImportedProfile] = []
        var taken: Set<String> = []
        let (known, unknown) = try recognised(entries(file, upTrace: upTrace, format: format), file)
        for var entry in known {
            if profiles.isEmpty { for path in unknown { entry.draft.leaveOut(unknown: path) } }
            var imported = try entry.draft.profile(from: file, format: format, path: entry.path)
            let name = imported.profile.name
            var number = 2
            while !taken.insert(NameMatching.normalized(imported.profile.name)).inserted {
                imported.profile.name = "\(name) \(number)"
                number += 1
            }
            profiles.append(imported)
        }
        return profiles
    }

    /// The most profiles accepted in a file.
    static let mostProfiles = 1000

    /// The entries that describe a link, and the locations of the others.
    private static func recognised(
        _ entries: [Entry], _ file: ForeignFile
    ) throws(ProfileError) -> (known: [Entry], unknown: [String]) {
        guard !entries.isEmpty else {
            throw ProfileError(file: file.name, explanation: "has no profile in it")
        }
        guard entries.count <= mostProfiles else {
            throw ProfileError(
                file: file.name,
                explanation: "has \(entries.count) profiles; no such file has more than "
                    + "\(mostProfiles)")
        }
        let known = entries.filter(\.draft.isRecognised)
        guard !known.isEmpty else {
            let left = entries[0].draft.remarks.prefix(3).map(\.text).joined(separator: " ")
            throw ProfileError(
                file: file.name, field: entries[0].path,
                explanation: "has nothing in it that linkcond knows of a link. \(left)")
        }
        return (known, entries.filter { !$0.draft.isRecognised }.map(\.path))
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

/// A profile being read, and its keys in the file.
struct Entry {
    var draft: Draft
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
        // Some editors write a byte order mark.
        return text.first == "\u{feff}" ? String(text.dropFirst()) : text
    }
}
