/// Something done to streams of bytes that no packet link does; the names are Toxiproxy's.
public struct StreamBehaviour: Sendable, Hashable, Codable {
    /// The direction of the data concerned.
    public enum Direction: String, Sendable, Hashable, Codable, CaseIterable {
        /// From the client to the target.
        case upstream
        /// From the target to the client.
        case downstream
    }

    /// What is done.
    public enum Kind: Sendable, Hashable, Codable {
        /// No data passes; after this time the connection is closed. 0: it never is.
        case timeout(milliseconds: Int)
        /// After this time both ends of the connection are reset; until then data passes.
        case resetPeer(milliseconds: Int)
        /// The end of the stream is passed on this much later.
        case slowClose(milliseconds: Int)
        /// The connection is closed after this many bytes.
        case limitData(bytes: Int)
        /// Data is passed on in slices of about this size, with a pause between them.
        case slicer(averageBytes: Int, variationBytes: Int, delayMicroseconds: Int)
    }

    /// Its name, unique within the listener.
    public var name: String
    /// What is done.
    public var kind: Kind
    /// To which data.
    public var direction: Direction
    /// The probability that a connection is affected, drawn once for each: 0 to 1.
    public var toxicity: Double

    /// Describes a behaviour.
    public init(name: String, _ kind: Kind, _ direction: Direction, toxicity: Double = 1) {
        self.name = name
        self.kind = kind
        self.direction = direction
        self.toxicity = toxicity
    }

    /// What is wrong with it; nil for one that can be carried out.
    public var problem: ControlError? {
        guard !name.isEmpty else { return .badField("name", "a behaviour needs a name") }
        guard (0...1).contains(toxicity) else {
            return .badField("toxicity", "\(toxicity) is no probability; give 0 to 1")
        }
        switch kind {
        case .timeout(let value), .resetPeer(let value), .slowClose(let value):
            return Self.negative(value, "milliseconds")
        case .limitData(let bytes): return Self.negative(bytes, "bytes")
        case .slicer(let average, let variation, let delay):
            guard average > 0 else {
                return .badField("averageBytes", "a slice has at least one byte")
            }
            guard average <= Self.largestSlice else {
                return .badField("averageBytes", "a slice has at most \(Self.largestSlice) bytes")
            }
            guard (0..<average).contains(variation) else {
                return .badField(
                    "variationBytes", "the variation is at least 0 and less than the average")
            }
            return Self.negative(delay, "delayMicroseconds")
        }
    }

    private static let largestSlice = 1 << 40

    private static func negative(_ value: Int, _ field: String) -> ControlError? {
        value < 0 ? .badField(field, "\(value) is negative") : nil
    }
}
