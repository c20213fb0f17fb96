/// What a u32 filter does with the packets of a hook that match.
public struct U32Rule: Sendable, Hashable {
    /// All have to match.
    public var matches: [U32Match]
    /// Whether the packets are taken; otherwise they pass, and meet no further filter.
    public var isChosen: Bool

    /// Makes a rule.
    public init(matches: [U32Match], isChosen: Bool) {
        self.matches = matches
        self.isChosen = isChosen
    }
}

extension U32Rule: Codable {
    /// Reads a text such as `+45000000/ff000000@0,00350000/ffff0000@20`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let rule = U32Rule(text: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no rule of u32: \(text)")
        }
        self = rule
    }

    /// Writes such a text: there may be thousands of rules in a message.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    private var text: String {
        (isChosen ? "+" : "-")
            + matches.map { match in
                let (value, mask) = (String(match.value, radix: 16), String(match.mask, radix: 16))
                return "\(value)/\(mask)@\(match.offset)"
            }.joined(separator: ",")
    }

    private init?(text: String) {
        guard let sign = text.first, "+-".contains(sign) else { return nil }
        var matches: [U32Match] = []
        for word in text.dropFirst().split(separator: ",") {
            let parts = word.split(whereSeparator: { "/@".contains($0) })
            guard parts.count == 3, let value = UInt32(parts[0], radix: 16),
                let mask = UInt32(parts[1], radix: 16), let offset = Int32(parts[2])
            else { return nil }
            matches.append(U32Match(value: value, mask: mask, offset: offset))
        }
        self.init(matches: matches, isChosen: sign == "+")
    }
}
