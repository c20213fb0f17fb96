public import LinkModel
import LinuxKernel
import PacketEngine

/// Why a delivery trace that conditions name is not played.
public struct TraceFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Whether the file could be read, and something is wrong with what it says.
    public let isMalformed: Bool
    /// One sentence: which file, what is wrong, and the way out.
    public let description: String
}

extension LinkTraces {
    /// A trace of ten minutes at 100 Mbit/s has 35 MB; nobody means a larger file.
    private static let sizeLimit = 64 << 20

    /// Reads the files that conditions name.
    public init(readingFor conditions: LinkConditions) throws(TraceFileError) {
        self.init(
            down: try Self.read(conditions.down, .down), up: try Self.read(conditions.up, .up))
    }

    private static func read(
        _ conditions: DirectionConditions, _ direction: LinkDirection
    ) throws(TraceFileError) -> DeliveryTrace? {
        guard let path = conditions.trace else { return nil }
        let field = "\(direction.rawValue).trace"
        let text: String
        do {
            text = try SmallFile.read(path, limit: sizeLimit)
        } catch {
            throw TraceFileError(
                isMalformed: false,
                description:
                    "\(path): the file that \(field) names cannot be read: \(error.errno)")
        }
        guard text.utf8.count < sizeLimit else {
            throw TraceFileError(
                isMalformed: true,
                description: "\(path): the file that \(field) names is larger than 64 MiB; name a "
                    + "shorter delivery trace")
        }
        do {
            return try DeliveryTrace(parsing: text)
        } catch {
            throw TraceFileError(
                isMalformed: true,
                description: "\(path): the delivery trace of \(field) is wrong: \(error)")
        }
    }
}
