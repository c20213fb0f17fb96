import FoundationEssentials
import LinuxKernel
import SystemPackage

/// Detects users of the network namespace other than the engine.
///
/// A namespace lives as long as its processes and its mounted names. The engine alone must not keep
/// a namespace alive that everybody else has left.
struct NamespaceUsers {
    private let namespace: String
    private var hadLeft = false

    /// For the namespace of the calling thread; nil if that is unknown.
    init?() {
        guard let inode = try? NetworkNamespace.currentInode() else { return nil }
        namespace = "net:[\(inode)]"
    }

    /// Whether there were no other users now and at the previous check.
    mutating func haveLeft(besides others: [Int32]) -> Bool {
        let areGone = !hasName && !hasOtherProcess(besides: others)
        defer { hadLeft = areGone }
        return areGone && hadLeft
    }

    private var hasName: Bool {
        guard let mounts = try? SmallFile.read("/proc/self/mountinfo", limit: 16 << 20) else {
            return true
        }
        return mounts.contains(" \(namespace) ")
    }

    private func hasOtherProcess(besides others: [Int32]) -> Bool {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc")
        else { return true }
        let own = ([ProcessInfo.processInfo.processIdentifier] + others).map(String.init)
        return names.contains { name in
            guard !own.contains(name), name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return false
            }
            let link = "/proc/\(name)/ns/net"
            return SmallFile.target(ofLink: link) == namespace
        }
    }
}
