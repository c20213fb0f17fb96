import Evidence
import LinkModel
import LinuxKernel
import NetworkPath

/// The interfaces of a sandbox while it runs; for its first process, on its main thread.
final class SandboxLinks {
    /// An interface as it is now.
    struct Interface: Sendable, Hashable {
        /// Its name.
        let name: String
        /// Its number in the app's network namespace.
        let index: Int32
        /// The app's addresses on it, of IPv4 and IPv6.
        let addresses: [IPAddress]
        /// The conditions of the link behind it.
        var conditions: LinkConditions
        /// The name of these.
        var profile: String
        /// What the app sees of it.
        var mark: NetworkMark
        /// Whether it is there at all.
        var isPresent: Bool
        /// Whether its carrier is there.
        var hasCarrier = true

        /// Whether packets go out: it is there, with its carrier and its addresses.
        var isUsable: Bool { isPresent && hasCarrier }
    }

    /// All interfaces, the most preferred first.
    private(set) var interfaces: [Interface]

    /// Is called after each change of which interfaces there are, which can be used, and which is
    /// preferred.
    var onChange: (SandboxLinks) -> Void = { _ in }

    init(interfaces: [Interface]) {
        self.interfaces = interfaces
    }

    /// Changes the conditions of an interface; packets on the link stay on it.
    func change(
        _ interface: String, to conditions: LinkConditions, profile: String
    ) throws(SandboxError) {
    }

    /// Takes the carrier away from an interface, and with it addresses and routes; or gives all of
    /// it back.
    func setCarrier(_ interface: String, isUp: Bool) throws(SandboxError) {
    }

    /// Makes an interface appear or vanish.
    func setPresence(_ interface: String, isPresent: Bool) throws(SandboxError) {
    }

    /// Changes what the app sees of an interface. An override that was set inside stays on top.
    func setMark(_ interface: String, _ mark: NetworkMark) throws(SandboxError) {
    }

    /// Makes an interface the first in the order of preference.
    func prefer(_ interface: String) throws(SandboxError) {
    }

    /// What has passed over the link of an interface until now; nil if nobody knows.
    func snapshot(of interface: String) throws(SandboxError) -> LinkSnapshot? {
        nil
    }
}
