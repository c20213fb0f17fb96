public import LinkModel
import LinuxKernel
import PacketEngine

/// Why a delivery trace that conditions name cannot be played.
public struct TraceFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Whether the file was read but its content is invalid.
    public let isMalformed: Bool
    /// One sentence: which file, what is wrong, and what to do.
    public let description: String
}

extension LinkTraces {
    /// A trace of ten minutes at 100 Mbit/s has 35 MB; a larger file is a mistake.
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
        let bytes: [UInt8]
        do {
            bytes = try InputFile.read(path, limit: sizeLimit)
        } catch {
            throw TraceFileError(
                isMalformed: error == .tooLarge(limit: sizeLimit),
                description: "\(path): \(error); \(field) names it")
        }
        do {
            return try DeliveryTrace(parsing: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw TraceFileError(
                isMalformed: true,
                description: "\(path): the delivery trace of \(field) is wrong: \(error)")
        }
    }
}
