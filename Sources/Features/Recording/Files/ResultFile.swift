import LinuxKernel
import SystemPackage

/// A file that gets its contents as a whole when they are known; before that, and where they cannot
/// be written, it stays as it is.
public struct ResultFile: Sendable {
    /// The name by which the user knows it.
    public let path: String
    private let file: ReplacementFile

    /// Sees to it that a file can be written.
    ///
    /// - Parameter owner: whose file a new one is; nil: the caller's. A file that exists already
    ///   keeps its owner.
    public init(creating path: String, owner: OutputFile.Owner? = nil) throws(RecordingFileError) {
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
