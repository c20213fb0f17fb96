import FoundationEssentials
public import LinkModel
import LinkUnits
import ProfileFormat

/// Writes profiles in the formats of other tools, as far as these can express them.
public enum ProfileExport {
    /// The formats that can be written.
    ///
    /// Chrome's is missing because its numbers apply to requests, not to links; mahimahi's, because
    /// its traces already are files.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case nlc, tcconfig, throttle, webpagetest, atc

        var foreign: ForeignFormat {
            switch self {
            case .nlc: .nlc
            case .tcconfig: .tcconfig
            case .throttle: .throttle
            case .webpagetest: .webpagetest
            case .atc: .atc
            }
        }
    }

    /// A profile in the format of another tool.
    public struct Text: Sendable, Hashable {
        /// The file.
        public let text: String
        /// What it cannot express or expresses differently.
        public let differences: [String]
    }

    /// Writes `profile`; `interface` is for formats with conditions per interface.
    public static func text(
        of profile: Profile, as format: Format, interface: String
    ) throws -> Text {
        let text =
            switch format {
            case .nlc: try plist(NLCPlist.value(of: profile))
            case .tcconfig: try json(TCConfigJSON.value(of: profile, interface: interface))
            case .throttle: try json(ThrottleJSON.value(of: profile))
            case .webpagetest: WebPageTestINI.text(of: profile)
            case .atc: try json(ATCJSON.value(of: profile))
            }
        return Text(text: text, differences: differences(text, profile, format))
    }

    /// The differences found by importing the text again.
    private static func differences(
        _ text: String, _ profile: Profile, _ format: Format
    ) -> [String] {
        let file = ForeignFile(name: "export", path: nil, bytes: Array(text.utf8))
        let imported = try? ProfileImport.profiles(in: file, format: format.foreign).first
        let before = fields(of: profile.conditions)
        let after = fields(of: imported?.profile.conditions ?? LinkConditions())
        var differences: [String] = []
        let added = after.filter { field in !before.contains { $0.key == field.key } }
        for (key, value) in before + added.map({ ($0.key, "none") }) {
            guard let written = after.first(where: { $0.key == key })?.value else {
                differences.append("\(key) \(value) is left out; \(format.foreign.title) has none")
                continue
            }
            if written != value { differences.append("\(key) \(value) became \(written)") }
        }
        for (word, isSet) in [
            ("expensive", profile.isExpensive), ("constrained", profile.isConstrained),
        ] where isSet {
            differences.append("\(word) is left out; \(format.foreign.title) has none")
        }
        return differences
    }

    private static func fields(of conditions: LinkConditions) -> [(key: String, value: String)] {
        let conditions = conditions.withExplicitLoss
        let directions = [("down", conditions.down), ("up", conditions.up)]
        let fields = directions.flatMap { name, direction in
            ProfileWriter.fields(of: direction).compactMap { field -> (String, String)? in
                field.value == "0%" ? nil : ("\(name).\(field.key)", field.value)
            }
        }
        return fields + (conditions.dnsDelay.map { [("dns.delay", $0.unitText)] } ?? [])
            + (conditions.middle.map { [("middle", $0.text)] } ?? [])
    }

    private static func json(_ value: ForeignValue) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }

    private static func plist(_ value: ForeignValue) throws -> String {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

extension ForeignValue: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .table(let table): try container.encode(table)
        case .list(let list): try container.encode(list)
        // Several tools take only whole numbers, recognised by the absence of a decimal point.
        case .number(let number) where number == number.rounded() && abs(number) < 1e15:
            try container.encode(Int64(number))
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .flag(let flag): try container.encode(flag)
        case .null, .other: try container.encodeNil()
        }
    }
}
