import FoundationEssentials
import LinuxKernel

extension MatrixReport.Machine {
    /// This machine, and the commit in the working directory.
    ///
    /// - Parameter version: That of linkcond.
    static func current(jobs: Int, version: String? = nil) -> MatrixReport.Machine {
        let process = ProcessInfo.processInfo
        let commit = TestedCommit.current(
            in: FileManager.default.currentDirectoryPath, environment: process.environment)
        return MatrixReport.Machine(
            kernel: line(of: "osrelease") ?? "unknown", processors: process.activeProcessorCount,
            jobs: jobs, host: line(of: "hostname"), processor: model, commit: commit,
            linkcond: version)
    }

    private static func line(of file: String) -> String? {
        let text = try? SmallFile.read("/proc/sys/kernel/\(file)")
        return text?.split(separator: "\n").first.map(String.init)
    }

    /// The model of the first processor; other architectures than x86 may not tell.
    private static var model: String? {
        let text = try? SmallFile.read("/proc/cpuinfo")
        let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":", maxSplits: 1).last.map {
            String($0.trimmingPrefix(while: \.isWhitespace))
        }
    }
}
