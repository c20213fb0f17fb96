import LinkModel
import LinuxKernel
import SystemPackage
import Uplink

/// What an uplink consists of, and which process does what.
///
/// The relay carries TCP and UDP in every case: the kernel's own TCP reaches the bandwidth of any
/// profile, where the helpers' TCP windows end at 10 to 20 Mbit/s over a phone's round trip. What
/// else there is to carry, a second means may do.
enum UplinkPlan: Hashable {
    case relay
    case helper(HelperUplink.Kind)
    case veth

    /// The plan of a request; nil for no uplink.
    init?(_ uplink: SandboxRequest.Uplink) {
        switch uplink {
        case .none: return nil
        case .auto, .relay: self = .relay
        case .pasta: self = .helper(.pasta)
        case .slirp: self = .helper(.slirp4netns)
        case .veth: self = .veth
        }
    }

    /// What goes through the relay.
    var scope: RelayScope {
        switch self {
        case .relay: .everything
        case .helper: .transport
        case .veth: .besideRoutedIPv4
        }
    }

    /// Why it cannot work, before anything has been made; nil if nothing is known against it.
    func obstacle(isRootless: Bool) -> SandboxError? {
        guard self == .veth, isRootless else { return nil }
        return SandboxError(
            "--uplink veth routes through this host's network, which takes root; use "
                + "--uplink relay, or run it with sudo")
    }

    /// Opens the far side's end, for a thread that is there and may do everything.
    ///
    /// - Parameter isMultipath: whether the command may speak Multipath TCP with it.
    func openFarSide(_ network: FarNetwork, isMultipath: Bool) throws -> RelaySockets {
        let sockets = try RelaySockets.open(network, scope: scope, isMultipath: isMultipath)
        if case .helper = self { try HelperUplink.prepareFarSide(network) }
        return sockets
    }

    /// Connects the far side with the host's network, for a process that is in the host's
    /// namespaces and has forked all its children.
    ///
    /// - Parameter process: one whose main thread is on the far side.
    func connect(
        _ sockets: RelaySockets, _ network: FarNetwork, process: Int32, isRootless: Bool
    ) throws(UplinkError) -> Connection {
        let namespaces = "/proc/\(process)/ns"
        let relay = try Relay(sockets, network: network, scope: scope)
        do {
            switch self {
            case .relay:
                return Connection(relay: relay)
            case .helper(let kind):
                let helper = try HelperUplink.start(
                    kind, networkNamespace: "\(namespaces)/net",
                    userNamespace: isRootless ? "\(namespaces)/user" : nil)
                return Connection(relay: relay, helper: helper)
            case .veth:
                let wire = try VethUplink.start(farNamespace: "\(namespaces)/net")
                return Connection(relay: relay, wire: wire)
            }
        } catch {
            relay.stop()
            throw error
        }
    }

    /// A far side that is connected.
    struct Connection {
        fileprivate let relay: Relay
        fileprivate var helper: HelperUplink?
        fileprivate var wire: VethUplink?

        /// Ends the relay when all that the app had sent is with the hosts it was for, or `limit` has
        /// passed.
        func finishRelaying(within limit: Duration) { relay.finish(within: limit) }

        /// Ends the relay now.
        func stopRelaying() { relay.finish(within: .zero) }

        /// Readable when the relay has ended.
        var end: FileDescriptor { relay.end }

        /// How many connections the relay had to reset at its end.
        var resetConnections: Int { relay.resetConnections }

        /// How many connections were refused because this process has no descriptors for them.
        var refusedConnections: Int { relay.refusedConnections }

        /// What it lost; all of that only after `stop()`.
        var losses: UplinkLosses { relay.losses }

        /// Takes it down, and waits until the host is as it was before.
        func stop() {
            helper?.stop()
            wire?.stop()
            relay.stop()
        }
    }
}
