public import LinuxKernel
public import Netlink
public import Scenarios

/// Which endpoints the kernel is to have so that Multipath TCP uses an app's interfaces as a mode
/// says: pure values.
public enum MultipathPlan {
    /// An interface that leads out.
    public struct Interface: Sendable, Hashable {
        /// Its index.
        public let index: Int32
        /// Its name.
        public let name: String
        /// Its addresses that may be used as the source of connections.
        public let addresses: [IPAddress]
        /// The host by which it leads out.
        public let gateway: IPAddress?

        /// Describes an interface.
        public init(
            index: Int32, name: String, addresses: [IPAddress], gateway: IPAddress? = nil
        ) {
            self.index = index
            self.name = name
            self.addresses = addresses
            self.gateway = gateway
        }
    }

    /// One change of the kernel's endpoints.
    public enum Step: Sendable, Hashable {
        /// A new endpoint: every connection gets a path from there.
        case add(MultipathEndpoint)
        /// An endpoint that is a reserve from now on, or none any more.
        case setBackup(MultipathEndpoint)
        /// An endpoint that is gone, and its paths with it.
        case delete(MultipathEndpoint)
    }

    /// The endpoints for `interfaces`, the most preferred first.
    ///
    /// - Parameter quickest: the interface that `interactive` is to use; nil: the first.
    public static func endpoints(
        _ mode: MultipathMode, _ interfaces: [Interface], quickest: Int32? = nil
    ) -> [MultipathEndpoint] {
        guard mode != .off else { return [] }
        let first = interfaces.first?.index
        let carrier: Int32? =
            switch mode {
            case .interactive: interfaces.first { $0.index == quickest }?.index ?? first
            default: first
            }
        let endpoints = interfaces.flatMap { interface in
            interface.addresses.map { address in
                MultipathEndpoint(
                    address: address, interface: interface.index,
                    isBackup: mode != .aggregate && interface.index != carrier)
            }
        }
        // Those of the least preferred interfaces are left out.
        return Array(endpoints.prefix(Int(MultipathManager.limit)))
    }

    /// How to get from the endpoints that the kernel has to those that it is to have.
    ///
    /// Whoever carries from now on is named first, so that no connection is without a carrier.
    public static func steps(
        from present: [MultipathEndpoint], to wanted: [MultipathEndpoint]
    ) -> [Step] {
        func counterpart(
            _ endpoint: MultipathEndpoint, in others: [MultipathEndpoint]
        ) -> MultipathEndpoint? {
            others.first {
                $0.address == endpoint.address && $0.interface == endpoint.interface
            }
        }
        let changed = present.compactMap { endpoint -> MultipathEndpoint? in
            guard var changed = counterpart(endpoint, in: wanted),
                changed.isBackup != endpoint.isBackup
            else { return nil }
            changed.id = endpoint.id
            return changed
        }
        let carriersFirst = changed.filter { !$0.isBackup } + changed.filter(\.isBackup)
        let gone = present.filter { counterpart($0, in: wanted) == nil }
        let new = wanted.filter { counterpart($0, in: present) == nil }
        return carriersFirst.map { .setBackup($0) } + gone.map { .delete($0) }
            + new.map { .add($0) }
    }
}
