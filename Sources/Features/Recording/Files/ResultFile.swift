public import LinuxKernel
import SystemPackage

/// A file that gets its whole contents at the end; until then, and if writing fails, it stays
/// unchanged.
public struct ResultFile: Sendable {
    /// The path as the user named it.
    public let path: String
    private let file: ReplacementFile

    /// Checks that the file can be written.
    ///
    /// - Parameter owner: The owner of a new file; nil: the caller. An existing file keeps its
    ///   owner.
    public init(creating path: String, owner: Program.Identity? = nil) throws(RecordingFileError) {
        self.path = path
        do {
            file = try ReplacementFile(at: path, owner: owner.map { ($0.user, $0.group) })
        } catch {
            throw RecordingFileError(path: path, errno: error)
        }
    }

    /// Writes a whole text.
    public func write(_ text: String) throws(RecordingFileError) {
        KernelThread.outliveBrokenPipes()
        do {
            try file.write(text)
        } catch {
            throw RecordingFileError(path: path, errno: error)
        }
    }
}
