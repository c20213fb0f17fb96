/// One of several parts of a matrix that run separately.
public struct Shard: Codable, Sendable, Hashable, CustomStringConvertible {
    /// The number of the part, from 1.
    public let index: Int
    /// How many parts there are.
    public let count: Int

    /// The most parts of a matrix.
    public static let mostParts = 10_000

    /// Makes a part; nil if the numbers are out of range.
    public init?(index: Int, count: Int) {
        guard (1...Self.mostParts).contains(count), (1...count).contains(index) else { return nil }
        self.index = index
        self.count = count
    }

    /// Reads `2/3`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]) else {
            return nil
        }
        self.init(index: index, count: count)
    }

    /// `2/3`.
    public var description: String { "\(index)/\(count)" }
}
