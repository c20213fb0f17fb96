public import LinkModel
import ProfileFormat
import ProfileImport

/// Reads files with delivery traces.
public enum TraceFile {
    /// Reads a trace; `-` is standard input.
    public static func read(_ file: String) throws -> DeliveryTrace {
        let content = try ImportFiles.read(file, reader: "linkcond trace show -")
        do {
            return try DeliveryTrace(parsing: String(decoding: content.bytes, as: UTF8.self))
        } catch {
            throw ProfileError(file: content.name, explanation: error.description)
        }
    }
}
