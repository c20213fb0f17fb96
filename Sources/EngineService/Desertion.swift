import FoundationEssentials
import LinuxKernel
import SystemPackage

/// Tells when nobody but this process and others of the engine keeps the network namespace.
///
/// A namespace lives as long as its processes and the names that are mounted for it. The engine
/// alone must not keep one that everybody else has left.
struct Desertion {
    private let namespace: String
    private var wasDeserted = false

    /// For the namespace of the calling thread; nil if that cannot be told.
    init?() {
        guard let inode = try? NetworkNamespace.currentInode() else { return nil }
        namespace = "net:[\(inode)]"
    }

    /// Whether it was deserted at this look and the one before.
    mutating func isCertain(besides others: [Int32]) -> Bool {
        let isDeserted = !hasName && !hasOtherProcess(besides: others)
        defer { wasDeserted = isDeserted }
        return isDeserted && wasDeserted
    }

    private var hasName: Bool {
        guard let mounts = try? SmallFile.read("/proc/self/mountinfo", limit: 16 << 20) else {
            return true
        }
        return mounts.contains(" \(namespace) ")
    }

    private func hasOtherProcess(besides others: [Int32]) -> Bool {
        let manager = FileManager.default
        guard let names = try? manager.contentsOfDirectory(atPath: "/proc") else { return true }
        let own = ([ProcessInfo.processInfo.processIdentifier] + others).map(String.init)
        return names.contains { name in
            guard !own.contains(name), name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return false
            }
            let link = "/proc/\(name)/ns/net"
            return (try? manager.destinationOfSymbolicLink(atPath: link)) == namespace
        }
    }
}
