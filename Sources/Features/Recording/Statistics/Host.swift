import LinuxKernel

/// The host and program that made a file.
struct Host: Sendable, Hashable {
    var hardware: String
    var system: String
    var application: String

    /// This host, and the program with its version.
    static func current(_ application: String) -> Host {
        let words = ["ostype", "osrelease"].compactMap { name in
            (try? SmallFile.read("/proc/sys/kernel/\(name)"))?.split(separator: "\n").first
        }
        return Host(
            hardware: architecture, system: words.joined(separator: " "), application: application)
    }

    private static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "aarch64"
        #else
            ""
        #endif
    }
}
