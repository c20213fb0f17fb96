public import ProfileFormat

extension ProfileImport {
    /// The format of `file`, detected from its content.
    public static func format(of file: ForeignFile) throws(ProfileError) -> ForeignFormat {
        if let format = try recognised(file) { return format }
        if let problem = OwnFile.problem(ofText: file) { throw problem }
        let known = ForeignFormat.allCases.map { "\($0.rawValue) (\($0.outline))" }
        throw ProfileError(
            file: file.name,
            explanation: "is in no format that linkcond knows; --format names one of "
                + known.joined(separator: ", "))
    }

    private static func recognised(_ file: ForeignFile) throws(ProfileError) -> ForeignFormat? {
        if file.isBinary || file.contains("<plist") { return .nlc }
        // A section begins with a bracket, as does a JSON list.
        if file.contains("bwIn=") || file.contains("bwIn =") { return .webpagetest }
        if file.isJSON {
            let value = try ForeignValue(parsing: file)
            if let problem = OwnFile.problem(of: value, in: file) { throw problem }
            return SitespeedConnectivity.isIn(value) ? .throttle : format(of: value)
        }
        if file.contains("DownlinkBandwidth") || file.contains("UplinkBandwidth") { return .nlc }
        let firstLine = file.bytes.split { $0 == 0x0a || $0 == 0x0d }.first ?? []
        let isNumber = firstLine.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 <= 0x20 }
        return isNumber ? .mahimahi : nil
    }

    /// The format of JSON, detected from its first profile.
    private static func format(of value: ForeignValue, depth: Int = 0) -> ForeignFormat? {
        switch value {
        case .list(let list): return list.first.flatMap { format(of: $0, depth: depth + 1) }
        case .table(let table):
            let keys = Array(table.keys)
            if table["content"].isTable || table["up"].isTable && table["down"].isTable {
                return .atc
            }
            if table["outgoing"].isTable || table["incoming"].isTable { return .tcconfig }
            if ChromeJSON.isLighthouse(keys) || ChromeJSON.isDevTools(keys) { return .chrome }
            if NLCPlist.isProfile(keys) { return .nlc }
            if ThrottleJSON.isSettings(keys) { return .throttle }
            // By name, by interface, or inside the settings of something larger.
            guard depth < 3 else { return nil }
            for key in keys.sorted() {
                if let value = table[key], let format = format(of: value, depth: depth + 1) {
                    return format
                }
            }
            return nil
        default: return nil
        }
    }
}

extension ForeignValue? {
    fileprivate var isTable: Bool { if case .table = self { true } else { false } }
}
