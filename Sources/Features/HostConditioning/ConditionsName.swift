/// The name for applying and clearing conditions.
public struct ConditionsName: Hashable, Sendable {
    /// The name.
    public let text: String

    private static let longest = 32

    /// Reads the value of `--name`: letters, digits, `-`, `_` and `.`, as far as it fits into a
    /// mark.
    public init(_ text: String) throws(HostError) {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_.".utf8.contains(byte)
            }
        }
        guard isPlain, (1...Self.longest).contains(text.utf8.count) else {
            throw HostError(
                "--name \(text): a name has 1 to \(Self.longest) letters, digits, "
                    + "hyphens, underscores and full stops")
        }
        self.text = text
    }
}
