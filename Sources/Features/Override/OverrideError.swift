public import LinuxKernel
public import Netlink

/// Why an override was not set or cleared. Nothing was changed then.
public enum OverrideError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no interface of this name; those there are.
    case noSuchInterface(String, known: [String])
    /// No interface was named, and none carries a default route.
    case noDefaultRoute
    /// An interface that linkcond has made for itself.
    case ownInterface(String)
    /// Only one interface can go before all others.
    case severalPreferred([String])
    /// No default route leads over the interface, so that nothing can prefer it.
    case nothingToPrefer(String)
    /// What others have put into the interface's alias, of this many bytes, leaves no room.
    case aliasFull(String, foreignBytes: Int)
    /// Somebody else keeps writing the interface's alias.
    case contested(String)
    /// The caller may not change interfaces; what it wanted.
    case missingPrivilege(String)
    /// What the kernel refused.
    case refused(NetlinkError)
    /// What the kernel cannot do.
    case kernel(KernelError)
    /// The sandbox that the caller is in refused; what it said.
    case refusedBySandbox(String)

    /// One sentence with the cause and the way out.
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
