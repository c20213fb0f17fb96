/// A file that tells systemd-networkd which interfaces to configure (systemd.network(5)).
struct NetworkdFile {
    /// Its text.
    let text: String

    /// Whether it is for every interface with this MAC address, whatever its name.
    func isForAll(withAddress address: [UInt8]) -> Bool {
        let conditions = matches
        guard Set(conditions.map(\.key)) == ["MACAddress"] else { return false }
        return conditions.flatMap { $0.value.split(separator: " ") }
            .contains { Self.bytes($0) == address }
    }

    /// Whether it keeps systemd-networkd from linkcond's own interfaces.
    var sparesOwnInterfaces: Bool {
        matches.contains { $0.key == "Name" && $0.value.split(separator: " ").contains("lcd*") }
            && entries(of: "[Link]").contains { $0.key == "Unmanaged" && $0.value == "yes" }
    }

    private var matches: [(key: Substring, value: Substring)] { entries(of: "[Match]") }

    private func entries(of wanted: Substring) -> [(key: Substring, value: Substring)] {
        var entries: [(Substring, Substring)] = []
        var section: Substring = ""
        for line in text.split(whereSeparator: \.isNewline).map(Self.trimmed) {
            if line.hasPrefix("[") {
                section = line
            } else if section == wanted, line.first != "#", line.first != ";",
                let equals = line.firstIndex(of: "=")
            {
                entries.append(
                    (
                        Self.trimmed(line[..<equals]),
                        Self.trimmed(line[line.index(after: equals)...])
                    ))
            }
        }
        return entries
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0.isWhitespace }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    private static func bytes(_ text: Substring) -> [UInt8] {
        text.split { $0 == ":" || $0 == "-" }.compactMap { UInt8($0, radix: 16) }
    }
}
