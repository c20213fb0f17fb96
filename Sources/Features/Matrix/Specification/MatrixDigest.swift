import FoundationEssentials

extension MatrixSpecification {
    /// Identifies a matrix: only reports with the same digest belong together.
    func digest(of command: [String]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = (try? encoder.encode(Request(command: command, specification: self))) ?? Data()
        let digits = String(StableHash.of(json), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The seed for a matrix on several machines for which none was given: every machine computes
    /// the same.
    public func sharedSeed(of command: [String]) -> UInt64 {
        var unseeded = self
        unseeded.seed = 0
        return CellSeed.make(unseeded.digest(of: command))
    }

    private struct Request: Encodable {
        let command: [String]
        let specification: MatrixSpecification
    }
}

/// A hash that is the same on every machine: FNV-1a.
enum StableHash {
    static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
