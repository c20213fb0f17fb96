import LinkModel
import LinuxKernel
import SystemPackage
import Uplink

/// The parts of an uplink, and which process runs them.
///
/// The relay always carries TCP and UDP: the kernel's own TCP reaches the bandwidth of any profile,
/// while the helpers' TCP windows limit it to 10 to 20 Mbit/s at a phone's RTT. A second method may
/// carry other protocols.
enum UplinkPlan: Hashable {
    case relay
    case helper(HelperUplink.Kind)
    case veth

    /// The plan for a request; nil for no uplink.
    init?(_ uplink: SandboxRequest.Uplink) {
        switch uplink {
        case .none: return nil
        case .auto, .relay: self = .relay
        case .pasta: self = .helper(.pasta)
        case .slirp: self = .helper(.slirp4netns)
        case .veth: self = .veth
        }
    }

    /// The traffic of the relay.
    var scope: RelayScope {
        switch self {
        case .relay: .everything
        case .helper: .transport
        case .veth: .besideRoutedIPv4
        }
    }

    /// Why the plan cannot work, checked before anything is made; nil if no reason is known.
    func obstacle(for privilege: SandboxPrivilege) -> SandboxError? {
        guard self == .veth, !privilege.isComplete else { return nil }
        return SandboxError(
            "--uplink veth routes through this host's network, which takes root; use "
                + "--uplink relay\(privilege.isRoot ? privilege.hint : ", or run it with sudo")")
    }

    /// Opens the far side's end, in a thread there with all privileges.
    ///
    /// - Parameters:
    ///   - isMultipath: Whether the command may use Multipath TCP with it.
    ///   - isPaced: Whether it sends as the congestion control says that new sockets have.
    func openFarSide(
        _ network: FarNetwork, isMultipath: Bool, isPaced: Bool
    ) throws -> RelaySockets {
        let sockets = try RelaySockets.open(
            network, scope: scope, isMultipath: isMultipath, isPaced: isPaced)
        if case .helper = self { try HelperUplink.prepareFarSide(network) }
        return sockets
    }

    /// Connects the far side to the host's network, in a process that is in the host's namespaces
    /// and has forked all its children.
    ///
    /// - Parameter process: A process whose main thread is on the far side.
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

    /// A connected far side.
    struct Connection {
        let relay: Relay
        fileprivate var helper: HelperUplink?
        fileprivate var wire: VethUplink?

        /// Removes it and waits until the host is restored.
        func stop() {
            helper?.stop()
            wire?.stop()
            relay.stop()
        }
    }
}
