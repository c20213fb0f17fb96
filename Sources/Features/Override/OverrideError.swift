public import LinuxKernel
public import Netlink

/// Why an override was not set or cleared. Nothing has changed then.
public enum OverrideError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No interface has this name; the existing names.
    case noSuchInterface(String, known: [String])
    /// No interface was named, and none has a default route.
    case noDefaultRoute
    /// The interface is one that linkcond made for itself.
    case ownInterface(String)
    /// Only one interface can be preferred.
    case severalPreferred([String])
    /// The interface has no default route, so it cannot be preferred.
    case nothingToPrefer(String)
    /// Foreign text in the interface's alias, of this many bytes, leaves no space.
    case aliasFull(String, foreignBytes: Int)
    /// Another program keeps changing the interface's alias.
    case contested(String)
    /// The caller may not change interfaces; the requested change.
    case missingPrivilege(String)
    /// The kernel refused a change.
    case refused(NetlinkError)
    /// The kernel lacks a feature.
    case kernel(KernelError)
    /// The sandbox around the caller refused; its message.
    case refusedBySandbox(String)

    /// One sentence with the cause and the remedy.
    public var description: String {
        switch self {
        case .noSuchInterface(let name, let known):
            "\(name): no such interface (have: \(known.joined(separator: ", ")))"
        case .noDefaultRoute:
            "no interface carries a default route; name one with -i"
        case .ownInterface(let name):
            "\(name): belongs to linkcond itself, and no app sees it; name another interface"
        case .severalPreferred(let names):
            "\(names.joined(separator: ", ")): only one interface can be preferred to all others"
        case .nothingToPrefer(let name):
            "\(name): has no default route that could be preferred; add one first "
                + "(ip route add default via GATEWAY dev \(name) metric 1000)"
        case .aliasFull(let name, let bytes):
            "\(name): no room for the override: the kernel keeps it in the interface's alias, "
                + "of which \(bytes) of 255 bytes are taken; shorten that text "
                + "(ip link set dev \(ShellWord(name)) alias TEXT)"
        case .contested(let name):
            "\(name): another program keeps changing the interface's alias, where the override is "
                + "kept; stop it and try again"
        case .missingPrivilege(let wish):
            "\(wish) needs the privilege CAP_NET_ADMIN; run it with sudo"
        case .refused(let error): "\(error)"
        case .kernel(let error): "\(error)"
        case .refusedBySandbox(let text): text
        }
    }
}
