public import LinuxKernel
public import Netlink
public import SystemPackage

/// Why Multipath TCP is unavailable.
public enum MultipathError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kernel was built without it.
    case notInKernel
    /// It is disabled in the network namespace.
    case switchedOff
    /// Programs' socket calls cannot be intercepted.
    case noInterception(KernelError)
    /// The path manager refused a request.
    case netlink(NetlinkError)
    /// A Multipath TCP socket cannot be made.
    case socket(Errno)

    /// Whether the host lacks support, as opposed to an unexpected failure.
    public var isLack: Bool {
        switch self {
        case .notInKernel, .switchedOff, .noInterception: true
        case .netlink, .socket: false
        }
    }

    /// One sentence with the remedy.
    public var description: String {
        switch self {
        case .notInKernel:
            "this kernel has no Multipath TCP (CONFIG_MPTCP, Linux 5.15 or later); run without "
                + "--multipath"
        case .switchedOff:
            "Multipath TCP is switched off here (net.mptcp.enabled is 0); switch it on with "
                + "sudo sysctl -w net.mptcp.enabled=1"
        case .noInterception(let error):
            "programs cannot be given sockets of Multipath TCP: \(error.errno) for a filter of "
                + "system calls (seccomp); it takes Linux 5.14, and no process around this one that "
                + "filters them in the same way, such as another run with --multipath"
        case .netlink(let error): "\(error)"
        case .socket(let error): "cannot make a socket of Multipath TCP: \(error)"
        }
    }
}

extension MultipathSupport {
    /// Throws the reason if Multipath TCP is unavailable in the calling thread's network namespace.
    public static func require() throws(MultipathError) {
        do throws(Errno) {
            try check()
        } catch {
            switch error {
            case .protocolNotSupported, .invalidArgument: throw .notInKernel
            case .protocolNotAvailable: throw .switchedOff
            default: throw .socket(error)
            }
        }
    }
}
