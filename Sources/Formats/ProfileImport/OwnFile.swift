import ProfileFormat

/// linkcond's own files, which users may try to import.
enum OwnFile {
    /// The keys that occur only in a direction of linkcond's JSON.
    private static let jsonKeys: Set = ["bandwidthBitsPerSecond", "delayMilliseconds", "lossRatio"]
    /// The first keys of profiles, scenarios and matrix files.
    private static let yamlKeys = [
        "down:", "up:", "blackhole:", "dns:", "interfaces:", "timeline:", "profiles:",
    ]

    /// Why a JSON file is not imported; nil if it is not linkcond's.
    static func problem(of value: ForeignValue, in file: ForeignFile) -> ProfileError? {
        switch value {
        case .list(let list): return list.first.flatMap { problem(of: $0, in: file) }
        case .table(let table):
            let directions = [table["down"], table["up"]].compactMap { direction in
                if case .table(let fields) = direction { fields } else { nil }
            }
            guard directions.contains(where: { !jsonKeys.isDisjoint(with: $0.keys) }) else {
                return nil
            }
            return ProfileError(
                file: file.name,
                explanation: "is linkcond's own JSON, which is for programs; linkcond show NAME "
                    + "--format yaml prints the profile as a file that every verb reads")
        default: return nil
        }
    }

    /// Why a text file is not imported; nil if it is not linkcond's YAML.
    static func problem(ofText file: ForeignFile) -> ProfileError? {
        guard let text = try? file.text(limit: ForeignValue.sizeLimit) else { return nil }
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.contains(where: { $0.hasPrefix("name:") }),
            lines.contains(where: { line in yamlKeys.contains { line.hasPrefix($0) } })
        else { return nil }
        return ProfileError(
            file: file.name,
            explanation: "is linkcond's own YAML and need not be imported; name the file where a "
                + "profile is asked for, or copy it into ~/.config/linkcond/profiles")
    }
}
