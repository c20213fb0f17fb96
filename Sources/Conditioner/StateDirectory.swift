import FoundationEssentials
import LinuxKernel
import SystemPackage

/// The files under `/run/linkcond`: the lock, the journal, and what the kernel was found to have.
///
/// They vanish with the next boot, as everything does that linkcond adds to a kernel.
struct StateDirectory {
    let path: String

    /// Makes the directory if needed: `/run/linkcond`, or for somebody who may not write there
    /// `$XDG_RUNTIME_DIR/linkcond`.
    init(environment: [String: String]) throws(KernelError) {
        try self.init(firstOf: Self.candidates(environment))
    }

    /// The directories that there are, for reading.
    static func existing(environment: [String: String]) -> [StateDirectory] {
        candidates(environment).filter { FileManager.default.fileExists(atPath: $0) }
            .map { StateDirectory(path: $0) }
    }

    private init(path: String) {
        self.path = path
    }

    private static func candidates(_ environment: [String: String]) -> [String] {
        ["/run/linkcond"] + (environment["XDG_RUNTIME_DIR"].map { [$0 + "/linkcond"] } ?? [])
    }

    /// Takes the first of `candidates` that can be written to.
    init(firstOf candidates: [String]) throws(KernelError) {
        var failure = Errno.noSuchFileOrDirectory
        for candidate in candidates {
            do {
                try FileManager.default.createDirectory(
                    atPath: candidate, withIntermediateDirectories: true)
                // Opening the lock tells why a directory does not do, as asking for its
                // permissions does not.
                _ = try FileLock.open(Self.lock(in: candidate)).close()
                path = candidate
                return
            } catch {
                failure = Self.errno(of: error)
            }
        }
        throw KernelError(
            .create, subject: candidates.joined(separator: " or "), errno: failure)
    }

    /// The file on which whoever changes anything holds a lock.
    var lock: String { Self.lock(in: path) }

    private static func lock(in directory: String) -> String { directory + "/lock" }

    func read(_ name: String) -> Data? {
        FileManager.default.contents(atPath: "\(path)/\(name)")
    }

    /// Writes the whole file or, on a crash, nothing.
    func write(_ name: String, _ data: Data) throws(KernelError) {
        let file = "\(path)/\(name)"
        do {
            let directory = URL(filePath: file).deletingLastPathComponent()
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            try data.write(to: URL(filePath: file), options: .atomic)
        } catch {
            throw KernelError(.write, subject: file, errno: Self.errno(of: error))
        }
    }

    func remove(_ name: String) {
        try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }

    func names(in subdirectory: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(subdirectory)")) ?? []
    }

    private static func errno(of error: any Error) -> Errno {
        if let error = error as? KernelError { return error.errno }
        guard let error = error as? CocoaError else { return .ioError }
        switch error.code {
        case .fileWriteNoPermission, .fileReadNoPermission: return .permissionDenied
        case .fileWriteOutOfSpace: return .noSpace
        case .fileWriteVolumeReadOnly: return .readOnlyFileSystem
        default: return .ioError
        }
    }
}
