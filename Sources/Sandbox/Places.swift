import Glibc
import LinuxKernel
import Netlink
import NetworkPath
import SystemPackage

/// The network namespaces of a sandbox, by descriptors that keep them.
struct Places: Sendable {
    /// Where the command runs.
    var app: FileDescriptor
    /// Where both directions are conditioned.
    var link: FileDescriptor
    /// Where servers run and the uplink begins.
    var far: FileDescriptor

    /// Makes and joins them, with the calling thread's namespace as the far side; leaves the
    /// thread on the link. `mark` is what the app sees of its interface.
    static func make(_ network: SandboxNetwork, mark: NetworkMark) throws -> Places {
        let far = try NetworkNamespace.openCurrent()
        let farSession = try NetlinkSession()
        allowLowPorts()
        try Namespaces.network.unshare()
        let app = try NetworkNamespace.openCurrent()
        let appSession = try NetlinkSession()
        allowPing()
        try Namespaces.network.unshare()
        let link = try NetworkNamespace.openCurrent()
        let linkSession = try NetlinkSession()

        try linkSession.executeAll(SandboxNetwork.linkMessages(app: app, far: far))
        try farSession.executeAll(network.farMessages)
        try appSession.executeAll(
            network.appMessages
                + [
                    Link.setAlias(index: SandboxNetwork.app.index, bytes: mark.sandboxAlias)
                ])
        return Places(app: app, link: link, far: far)
    }

    /// Lets servers of any user have ports such as 53 and 80, as they would on a host of their own.
    private static func allowLowPorts() {
        try? Namespaces.write("0", to: "/proc/sys/net/ipv4/ip_unprivileged_port_start")
    }

    /// Lets the command's user send echo requests: the privilege that ping's file carries does not
    /// count in a user namespace.
    private static func allowPing() {
        let group = getgid()
        // Kernels without IPv4 have no such file, and no need for it.
        try? Namespaces.write(
            geteuid() == 0 ? "0 2147483647" : "\(group) \(group)",
            to: "/proc/sys/net/ipv4/ping_group_range")
    }
}

extension NetlinkSession {
    /// Sends all messages together.
    func executeAll(_ messages: [NetlinkMessage]) throws(NetlinkError) {
        guard let failure = try execute(messages).first else { return }
        throw NetlinkError(
            attempt: "build the sandbox's network (step \(failure.index + 1))",
            errno: failure.errno, kernelText: failure.kernelText)
    }
}
