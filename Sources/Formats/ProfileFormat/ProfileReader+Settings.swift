package import LinkModel
import LinkUnits
package import YAMLReading

extension ProfileReader {
    /// Reads `{ down.delay: 180 ms, dns.delay: 3 s, blackhole: true }`, the fields of `--set` in a
    /// file. Returns conditions that hold the values, and the list of fields.
    package static func settings(
        _ node: YAMLNode, file: String, path: String
    ) throws(ProfileError) -> (values: LinkConditions, settings: [ConditionSetting]) {
        guard case .mapping(let mapping) = node, !mapping.isEmpty else {
            throw ProfileError(
                file: file, line: node.line, field: path,
                explanation: "has to be a list of fields, such as { down.loss: 2% }")
        }
        var groups: [String: [(YAMLNode, YAMLNode)]] = [:]
        var settings: [ConditionSetting] = []
        for (key, value) in mapping {
            let name = key.string ?? ""
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            let isDotted = parts.count == 2 && ["down", "up", "dns"].contains(parts[0])
            guard isDotted || name == "blackhole" else {
                throw ProfileError(
                    file: file, line: key.line, field: "\(path).\(name)",
                    explanation: "is not a field; fields are down.bandwidth, up.delay, dns.delay, "
                        + "blackhole and the like")
            }
            let field = YAMLNode.scalar(.init(parts.last ?? name, line: key.line))
            groups[isDotted ? parts[0] : "", default: []].append((field, value))
            settings.append(ConditionSetting(path: name, value: text(of: value)))
        }
        var values = LinkConditions()
        for (group, pairs) in groups {
            let node = YAMLNode.mapping(YAMLNode.Mapping(pairs, line: mapping.line))
            switch group {
            case "down": values.down = try direction(node, file: file, path: "\(path).down")
            case "up": values.up = try direction(node, file: file, path: "\(path).up")
            case "dns": values.dnsDelay = try dnsDelay(node, file: file, path: "\(path).dns")
            default:
                let fields = try FieldReader(node, file: file, path: path, known: ["blackhole"])
                values.isBlackhole = try fields.flag("blackhole")
            }
        }
        return (values, settings)
    }

    private static func text(of node: YAMLNode) -> String {
        guard case .mapping(let mapping) = node else { return node.string ?? "" }
        let pairs = mapping.map { "\($0.key.string ?? ""): \(text(of: $0.value))" }
        return "{ \(pairs.joined(separator: ", ")) }"
    }
}
