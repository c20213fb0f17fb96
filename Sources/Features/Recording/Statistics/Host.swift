import LinuxKernel

/// The host and program that made a file.
struct Host: Sendable, Hashable {
    var hardware: String
    var system: String
    var application = "linkcond"

    /// This host.
    static func current() -> Host {
        let words = ["ostype", "osrelease"].compactMap { name in
            (try? SmallFile.read("/proc/sys/kernel/\(name)"))?.split(separator: "\n").first
        }
        return Host(hardware: architecture, system: words.joined(separator: " "))
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
