public import LinuxKernel
public import Netlink
public import SystemPackage

/// Why the far side of a sandbox cannot reach the host's network.
public enum UplinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A program is not installed.
    case missingProgram(String, package: String)
    /// A program failed.
    case programFailed(String, message: String)
    /// A system call failed.
    case system(attempt: String, Errno)
    /// The kernel refused a change of routes or interfaces.
    case netlink(NetlinkError)
    /// A kernel operation failed.
    case kernel(KernelError)
    /// Root requested pasta.
    case pastaAsRoot
    /// The kernel has no nftables.
    case noPacketFilter
    /// No interface has this name.
    case noSuchInterface(String)
    /// A port of the host cannot be had.
    case notPublished(PublishedPort, at: Endpoint, Errno)

    /// One sentence: what failed, why, and the remedy.
    public var description: String {
        switch self {
        case .missingProgram(let program, let package):
            "the program \(program) is not installed; install it with: sudo apt install "
                + "\(package) (Debian, Ubuntu) or sudo dnf install \(package) (Fedora)"
        case .programFailed(let program, let message):
            "\(program) failed: \(message)"
        case .system(let attempt, let errno):
            "cannot \(attempt): \(errno)\(ProcessLimit.hint(errno))"
        case .netlink(let error):
            error.description
        case .kernel(let error):
            error.description
        case .pastaAsRoot:
            "pasta does not serve root; use --uplink relay, veth or slirp, or run linkcond "
                + "without sudo"
        case .noPacketFilter:
            "this kernel has no nftables, by which the uplink takes packets; use --uplink none, "
                + "and --server for what the command needs"
        case .noSuchInterface(let name):
            "\(name): no such interface in the sandbox"
        case .notPublished(let port, let endpoint, let errno):
            Self.reason(port, endpoint, errno)
        }
    }
}
