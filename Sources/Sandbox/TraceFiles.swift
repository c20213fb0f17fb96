import LinkModel
import LinuxKernel
import PacketEngine
import PacketLoop

/// The files of delivery traces that conditions name.
enum TraceFiles {
    /// A trace of ten minutes at 100 Mbit/s has 35 MB; nobody means a larger file.
    private static let sizeLimit = 64 << 20

    /// Reads those of both directions.
    static func read(for conditions: LinkConditions) throws(SandboxError) -> LinkTraces {
        LinkTraces(
            down: try read(conditions.down, .down), up: try read(conditions.up, .up))
    }

    private static func read(
        _ conditions: DirectionConditions, _ direction: Direction
    ) throws(SandboxError) -> DeliveryTrace? {
        guard let path = conditions.trace else { return nil }
        let field = "\(direction.rawValue).trace"
        let text: String
        do {
            text = try SmallFile.read(path, limit: sizeLimit)
        } catch {
            throw SandboxError(
                "\(path): the file that \(field) names cannot be read: \(error.errno)",
                fault: .unreadableFile)
        }
        guard text.utf8.count < sizeLimit else {
            throw SandboxError(
                "\(path): the file that \(field) names is larger than 64 MiB; name a shorter "
                    + "delivery trace", fault: .badFile)
        }
        do {
            return try DeliveryTrace(parsing: text)
        } catch {
            throw SandboxError(
                "\(path): the delivery trace of \(field) is wrong: \(error)", fault: .badFile)
        }
    }
}
